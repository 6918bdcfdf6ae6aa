#pragma once
// Transforms whose length has a large prime in it, of many lines at once, as convolutions that two LaneFfts of small
// factors compute. Rader: powers of a primitive root number the elements but 0 of a prime length p, and the transform
// of these is a cyclic convolution of p - 1 points; taken where p - 1 has small factors only. Bluestein otherwise:
// jk = (j^2 + k^2 - (k-j)^2) / 2 makes it a convolution with a chirp, of at least 2 n - 1 points.

#include "kernel/lane_fft.hpp"

namespace kallima::kernel {

template <class T>
class ConvolutionFft {
 public:
  using Complex = std::complex<T>;
  using Rows = typename LaneFft<T>::Rows;
  using Factors = typename LaneFft<T>::Factors;

  ConvolutionFft(Index length, Direction direction);
  void operator()(const Rows& rows, Index first, Index lanes, const Factors& factors, Complex* tile) const;
  Index tile_elements(Index lanes) const;

  // A line by itself, where its convolution is long enough; `out` may be `in`.
  bool takes_single_lines() const { return there_.takes_single_lines(); }
  void run_line(const Complex* in, Complex* out, Complex* tile) const;
  Index line_tile_elements() const { return points() + there_.line_tile_elements(); }

 private:
  void find_powers();
  void find_chirp();
  void convolve(Complex* elements, Complex* product, Index lanes) const;
  static constexpr Index sizeof_complex = sizeof(Complex);

  Index points() const { return static_cast<Index>(spectrum_.size()); }  // of the convolution

  Index length_;
  Direction direction_;
  std::vector<Index> powers_;      // of Rader's root, for p - 1 exponents; none: Bluestein
  std::vector<Complex> chirp_;     // exp(-pi i k^2/p), and zeros up to the length of the convolution
  std::vector<Complex> unchirp_;   // its conjugates, as a backward transform takes factors
  std::vector<Complex> spectrum_;  // of what the elements are convolved with, divided by its length
  LaneFft<T> there_, back_;
};

}  // namespace kallima::kernel
