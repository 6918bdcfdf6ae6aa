#pragma once
// Transforms between the reals of one line and the half of its spectrum, where there are too few such lines to fill
// vectors: an even number of reals, taken in pairs, is a complex line, whose elements fill them. No memory is needed
// but what that takes. Odd numbers of reals go as complex numbers.

#include <memory>

#include "kernel/lane_fft.hpp"

namespace kallima::kernel {

template <class T>
class LoneHalfLine {
 public:
  using Complex = std::complex<T>;

  LoneHalfLine(Index length, Kind kind);  // real_to_half or half_to_real

  bool is_taken() const { return fft_.takes_single_lines(); }  // others are too short
  Index tile_elements() const { return (is_even() ? 0 : length_) + fft_.line_tile_elements(); }

  // `out` may be where `in` is. Imaginary parts that spectra of reals do not have are not looked at.
  void operator()(const T* in, T* out, Complex* tile) const;

 private:
  static constexpr Index fine = 1024;  // factors; others are products of one of them and a coarse one

  bool is_even() const { return length_ % 2 == 0; }
  void by_pairs(const T* in, T* out, Complex* tile) const;
  void as_complex(const T* in, T* out, Complex* tile) const;
  void each_factor(const auto& visit) const;
  void untangle(Complex* spectrum) const;
  void tangle(const Complex* half, Complex* spectrum) const;

  Index length_;
  bool to_half_;
  LaneFft<T> fft_;
  std::vector<Complex> fine_, coarse_;  // omega_n^k, and of every 1024th k
};

// Whether so many lines go one by one: too few to fill a vector, or too long to go over a vector of them together.
template <class T>
bool suits_lone_lines(Index count, Index length) {
  const Index vector = LaneFft<T>::granularity();
  return count < vector || vector * length * static_cast<Index>(sizeof(T)) > longest_lines_of_a_vector<T>();
}

// Shared by those who ask for the same; nothing if it is not taken.
template <class T>
std::shared_ptr<const LoneHalfLine<T>> lone_half_line(Index length, Kind kind);

}  // namespace kallima::kernel
