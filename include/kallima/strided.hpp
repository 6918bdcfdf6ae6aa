#pragma once
// The transform of an array that one process has whole, wherever its elements stand, by a few threads: what scipy.fft
// and FFTW with threads do. Nothing is exchanged and no rank has a part: threads share the lines of each axis, and axes
// whose lines fit a cache together are done in one sweep over memory. There is little between a call and its kernels,
// so that small arrays are fast, too. An AnyFft is for arrays that are dealt out.

#include <memory>

#include "kallima/problem.hpp"

namespace kallima {

class StridedFft {
 public:
  // From `in` to `out`, in that direction of the problem, whose layouts and storage are not looked at. Strides are one
  // for each dimension, any number, and count what the array holds: complex numbers, or reals. Throws Error as
  // checked() does. At most `threads` threads work on it, and one does where more would not help.
  StridedFft(const Problem& problem, Direction direction, const std::vector<Index>& strides_in,
             const std::vector<Index>& strides_out, int threads = 1);
  StridedFft(StridedFft&&) noexcept;
  StridedFft& operator=(StridedFft&&) noexcept;
  ~StridedFft();

  // `in` is left as it was and shares no element with `out`. The result is multiplied by `scale`. Threads may call this
  // at once; whoever finds the others at work does all of it.
  void run(const void* in, void* out, long double scale = 1) const;

  Index points() const;            // N of the normalisation
  int threads() const;             // that it takes
  std::size_t work_bytes() const;  // that a run needs besides

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace kallima
