#pragma once
// A transform of an array that is whole on one device: the arithmetic of the CUDA backend. A problem is what is to be
// computed; a WholeTransform is one way to do it, by our own kernels or by cuFFT, that only has to be started on a
// stream. Which way is decided once, while planning. This header needs no CUDA, so that it can be read without one.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cuda/model/stream.hpp"
#include "kallima/types.hpp"

namespace kallima::cuda {

enum class TransformKind { c2c, r2c, c2r };

// Row-major, `batch` such arrays one behind the other. `shape` is that of the complex array of c2c and of the real one
// of r2c and c2r, whose last axis named keeps n/2+1 complex numbers.
struct WholeProblem {
  std::vector<Index> shape;
  std::vector<int> axes = {};  // empty: all; of real data the last one named is halved
  TransformKind kind = TransformKind::c2c;
  Precision precision = Precision::double_;
  int sign = -1;       // of the exponent; r2c has -1, c2r +1
  double scale = 1.0;  // what the result is multiplied by
  Index batch = 1;
  bool in_place = true;  // whether start() may be called with in == out; otherwise a smaller workspace may do
  bool operator==(const WholeProblem&) const = default;
};

// How to choose between ways: by what is known to be faster, by trying them in turns, or cuFFT in any case.
enum class ChooseBy { rule, measurement, cufft };

class WholeTransform {
 public:
  virtual ~WholeTransform() = default;
  virtual std::size_t workspace_bytes() const { return 0; }

  // Device memory throughout; `in` stays as it is unless it is `out`. Returns at once; the stream does the rest.
  // Several threads may start one transform, each on memory of its own.
  virtual void start(const void* in, void* out, void* workspace, Stream stream) const = 0;
  virtual std::string name() const = 0;
};

// Throws Error for what no way exists for, and where there is no device.
std::unique_ptr<WholeTransform> make_whole_transform(const WholeProblem& problem, ChooseBy by = ChooseBy::rule);

// The numbers that a spectrum is multiplied by, in the order of the spectrum.
enum class FactorKind { complex_array, real_array };

// out = scale * backward(factor * forward(in)), as many passes over memory as there have to be.
class WholeApply {
 public:
  virtual ~WholeApply() = default;
  virtual std::size_t workspace_bytes() const { return 0; }
  virtual void start(const void* in, void* out, const void* factor, void* workspace, Stream stream) const = 0;
  virtual std::string name() const = 0;
};

// c2c or r2c; the scale is the one of the whole.
std::unique_ptr<WholeApply> make_whole_apply(const WholeProblem& forward, FactorKind factor,
                                             ChooseBy by = ChooseBy::rule);

// What `problem` has in it and leaves: numbers, and bytes.
Index real_extent(Index n);  // complex numbers that n reals become
std::size_t input_bytes(const WholeProblem& problem);
std::size_t output_bytes(const WholeProblem& problem);

}  // namespace kallima::cuda
