#pragma once
// Writes passes and shares their lines among threads: what all ways to make sweeps have in common.

#include <algorithm>

#include "fft/sweeps.hpp"
#include "kernel/mirrored_lanes.hpp"

namespace kallima {

// A loop over lines: how many, and how far apart they stand.
struct LineLoop {
  Index count, source, target;
};

class SweepBuilder {
 public:
  static constexpr std::size_t placed_by = 2;  // repeats around a pass, whose indices say where it begins

  SweepBuilder(const Problem& problem, Direction direction, int threads)
      : direction_(direction),
        threads_(threads),
        precision_(problem.precision),
        backend_(cpu_backend(problem.precision)) {}

  // A line's strides, and the loops over lines, the nearest last.
  static Pass pass(Index length, Kind kind, const StridedView& from, Index stride_in, const StridedView& to,
                   Index stride_out, const std::vector<LineLoop>& loops) {
    Pass pass{.kind = kind, .length = length};
    const auto piece = [&](const StridedView& view, Index stride, std::vector<Index> strides) {
      return Piece{.buffer = view.buffer,
                   .offset = view.offset,
                   .count = length,
                   .stride = stride,
                   .strides = std::move(strides),
                   .real = view.real};
    };
    Piece source = piece(from, stride_in, {1, 0}), target = piece(to, stride_out, {0, 1});
    if (kind == Kind::real_to_half) target.count = length / 2 + 1;
    if (kind == Kind::half_to_real) source.count = length / 2 + 1;
    if (from.buffer == to.buffer) target.strides = {1, 0};  // for a kernel to see that it is in place
    for (const LineLoop& loop : loops) {
      pass.loops.push_back(loop.count);
      source.strides.push_back(loop.source);
      target.strides.push_back(loop.target);
    }
    pass.sources = {source};
    pass.targets = {target};
    return pass;
  }

  SweepKernel compiled(Pass pass) { return kept(backend_->compile(pass, placed_by, direction_, Effort::estimate)); }
  SweepKernel mirrored(const kernel::MirroredLanes& lanes) {
    return kept(kernel::mirrored_kernel(precision_, direction_, lanes));
  }

  // A sweep of one pass. Threads share its longest loop but the last, which fills vectors, unless that is the only one
  // long enough.
  void add_lines(const Pass& pass) {
    const std::size_t loops = pass.loops.size();
    std::size_t shared = loops;
    for (std::size_t d = 0; d + 1 < loops; ++d)
      if (pass.loops[d] >= threads_ && (shared == loops || pass.loops[d] > pass.loops[shared])) shared = d;
    if (shared == loops && loops > 0) shared = loops - 1;
    const Index count = loops == 0 ? 1 : pass.loops[shared];
    const Index whole = count >= lines_in_a_vector * threads_ ? lines_in_a_vector : 1;
    Sweep sweep;
    for (Index t = 0, begin = 0; t < threads_; ++t) {
      const Index end = t + 1 == threads_ ? count : count * (t + 1) / threads_ / whole * whole;
      if (end > begin) sweep.parts.push_back({.kernels = {compiled(lines_of(pass, shared, begin, end))}});
      begin = std::max(begin, end);
    }
    add(std::move(sweep));
  }

  // A part is what all threads do together: each takes its share of the blocks.
  void share(SweepPart all) {
    const Index blocks = element_count(all.outer);
    Sweep sweep;
    for (Index t = 0; t < threads_; ++t) {
      all.begin = blocks * t / threads_;
      all.end = blocks * (t + 1) / threads_;
      if (all.end > all.begin) sweep.parts.push_back(all);
    }
    add(std::move(sweep));
  }

  void add(Sweep sweep) { sweeps_.all.push_back(std::move(sweep)); }

  // An array of our own, row-major.
  StridedView work(const Shape& shape) {
    const std::size_t bytes = static_cast<std::size_t>(element_count(shape)) * backend_->element().bytes;
    sweeps_.work_bytes = std::max(sweeps_.work_bytes, bytes);
    return {.buffer = Buffer::work, .shape = shape, .strides = strides_of({}, shape)};
  }

  Index element_bytes() const { return static_cast<Index>(backend_->element().bytes); }
  Sweeps made() { return std::move(sweeps_); }

  int threads() const { return threads_; }
  Precision precision() const { return precision_; }

 private:
  static constexpr Index lines_in_a_vector = 8;  // threads share lines in whole vectors where they can

  static Pass lines_of(Pass pass, std::size_t shared, Index begin, Index end) {
    if (shared == pass.loops.size()) return pass;
    pass.loops[shared] = end - begin;
    for (auto* const pieces : {&pass.sources, &pass.targets})
      for (Piece& piece : *pieces) piece.offset += begin * piece.strides[placed_by + shared];
    if (pass.twiddle.modulus > 0) pass.twiddle.shift += begin * pass.twiddle.step;
    return pass;
  }

  SweepKernel kept(std::shared_ptr<const Kernel> kernel) {
    sweeps_.tile_bytes = std::max(sweeps_.tile_bytes, kernel->tile_bytes());
    return {.kernel = std::move(kernel)};
  }

  Direction direction_;
  int threads_;
  Precision precision_;
  std::shared_ptr<const Backend> backend_;
  Sweeps sweeps_ = {};
};

// Of one line that is all there is, and too long for a cache, if it is such: four steps, which also give threads
// something to share. False: it is not.
bool add_long_line(SweepBuilder& builder, const Problem& problem, const StridedView& in, const StridedView& out);

}  // namespace kallima
