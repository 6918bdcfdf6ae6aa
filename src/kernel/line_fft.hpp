#pragma once
// Local transforms of contiguous lines, by FFTW. Plans are made once per process for each shape and kept; making one
// takes a lock, since FFTW's planner is not thread-safe, while running one does not.

#include <complex>
#include <memory>

#include "kallima/types.hpp"

namespace kallima::kernel {

// `count` lines of `length` contiguous elements, the beginnings of successive lines `pitch` elements apart.
struct Lines {
  Index length;
  Index count;
  Index pitch_in;
  Index pitch_out;
  bool in_place;
  auto operator<=>(const Lines&) const = default;
};

template <class T>
class LineFft {
 public:
  LineFft(const Lines& lines, Direction direction, Effort effort);
  void operator()(const std::complex<T>* in, std::complex<T>* out) const;  // any alignment

 private:
  std::shared_ptr<void> plan_;  // an FFTW plan of this precision
};

}  // namespace kallima::kernel
