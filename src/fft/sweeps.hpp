#pragma once
// What a StridedFft does, as sweeps over memory with all threads waiting for each other in between. A sweep has a few
// kernels, one for each axis it transforms, and goes through blocks of the array, or lines of it, with all of them.

#include <memory>
#include <vector>

#include "kallima/backend.hpp"
#include "kallima/problem.hpp"

namespace kallima {

// Where the elements of an array stand: shape and strides are those of all dimensions.
struct StridedView {
  Buffer buffer = Buffer::in;
  bool real = false;
  Index offset = 0;  // of the first element
  Shape shape = {};
  std::vector<Index> strides = {};
};

// A kernel, and how far its sources and targets move with the block it is called for.
struct SweepKernel {
  std::shared_ptr<const Kernel> kernel;
  std::vector<Index> source_strides = {};  // of the outer dimensions
  std::vector<Index> target_strides = {};
};

// One thread's share of a sweep: blocks `begin` to `end` of those that the outer dimensions number, row-major.
struct SweepPart {
  std::vector<SweepKernel> kernels = {};
  Shape outer = {};
  Index begin = 0;
  Index end = 1;
};

struct Sweep {
  std::vector<SweepPart> parts;  // one a thread, at most
};

struct Sweeps {
  std::vector<Sweep> all;
  std::size_t work_bytes = 0;  // of Buffer::work
  std::size_t tile_bytes = 0;  // that a kernel takes
};

// Of a checked problem, in one direction.
Sweeps sweeps_of(const Problem& problem, Direction direction, const std::vector<Index>& strides_in,
                 const std::vector<Index>& strides_out, int threads);

}  // namespace kallima
