#pragma once
// Local transforms of contiguous lines by FFTW: of complex numbers, of reals to and from the half of their spectrum
// that determines the rest, and the cosine and sine transforms. Plans are made once per process for each shape and
// kept; making one takes a lock, since FFTW's planner is not thread-safe, while running one does not.

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
  LineFft(const Lines& lines, Effort effort);
  void operator()(const T* in, T* out) const;  // any alignment

 private:
  Kind kind_;
  std::shared_ptr<void> plan_;  // an FFTW plan of this precision
};

}  // namespace kallima::kernel
