#pragma once
// Local transforms of lines of reals in a tile, in place, by FFTW: to and from the half of a spectrum that determines
// the rest, and the cosine and sine transforms. Plans are kept as LineFft keeps its own.

#include <complex>
#include <memory>

#include "kallima/types.hpp"

namespace kallima::kernel {

// `count` lines whose beginnings are `pitch` reals apart; pitch is even and has room for both sides of the transform.
// Cosine and sine transforms may be of `parts` 2: lines of complex numbers, real and imaginary parts each by itself.
struct RealLines {
  Kind kind;
  Index length;
  Index count;
  Index pitch;
  Index parts = 1;
  auto operator<=>(const RealLines&) const = default;
};

template <class T>
class RealLineFft {
 public:
  RealLineFft(const RealLines& lines, Effort effort);
  void operator()(T* tile) const;  // any alignment

 private:
  Kind kind_;
  std::shared_ptr<void> plan_;
};

}  // namespace kallima::kernel
