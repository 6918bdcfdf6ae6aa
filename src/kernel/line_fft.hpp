#pragma once
// Local transforms of contiguous lines: of complex numbers, of reals to and from the half of their spectrum that
// determines the rest, and the cosine and sine transforms. They are our own or, where the library is built with it,
// FFTW's.

#include <memory>

#include "kallima/types.hpp"

namespace kallima::kernel {

// `count` lines of `length` points, the beginnings of successive lines `pitch` reals apart, an even number. Cosine and
// sine transforms may be of `parts` 2: lines of complex numbers, real and imaginary parts each by itself.
struct Lines {
  Kind kind = Kind::fourier;
  Direction direction = Direction::forward;  // of a Fourier transform
  Index length = 1;
  Index count = 1;
  Index pitch_in = 0;
  Index pitch_out = 0;
  bool in_place = true;
  Index parts = 1;
  auto operator<=>(const Lines&) const = default;
};

template <class T>
class LineFft {
 public:
  virtual ~LineFft() = default;
  virtual void operator()(const T* in, T* out, std::complex<T>* tile) const = 0;  // any alignment
  virtual Index tile_elements() const { return 0; }
};

template <class T>
using LineMaker = std::shared_ptr<const LineFft<T>> (*)(const Lines& lines, Effort effort);

template <class T>
std::shared_ptr<const LineFft<T>> our_lines(const Lines& lines, Effort effort);
template <class T>
std::shared_ptr<const LineFft<T>> fftw_lines(const Lines& lines, Effort effort);  // of a build with FFTW

}  // namespace kallima::kernel
