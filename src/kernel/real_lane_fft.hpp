#pragma once
// Transforms between n reals and the half of their spectrum, of many lines at once. The reals of a line, taken in
// pairs, are n/2 complex numbers; a LaneFft transforms these, and the spectra of even and odd reals are then told apart
// by their symmetry and joined. Each line is transformed by itself: nothing of one line gets into another.

#include <complex>
#include <vector>

#include "kernel/lane_fft.hpp"

namespace kallima::kernel {

template <class T>
class RealLaneFft {
 public:
  using Complex = std::complex<T>;
  using Factors = typename LaneFft<T>::Factors;

  static bool supports(Index length) { return length % 2 == 0 && LaneFft<T>::supports(length / 2); }

  RealLaneFft(Index length, Kind kind);  // real_to_half or half_to_real

  // Lanes first .. first + lanes - 1 of length/2 rows of pairs of reals and length/2+1 rows of half spectra.
  void to_half(const Row<const Complex>* pairs, const Row<Complex>* half, Index first, Index lanes,
               const Factors& factors, Direction of_factors, Complex* tile) const;
  void to_reals(const Row<const Complex>* half, const Row<Complex>* pairs, Index first, Index lanes, T scale,
                Complex* tile) const;

  // The tile begins with room for the pairs of all lines: row k of `lanes` neighbours begins at spread_row(k, lanes).
  // Pairs may be given or left there; otherwise it is used in between.
  Index tile_elements(Index lanes) const { return spread_row<T>(half_, lanes) + lanes * fft_.tile_rows(); }

 private:
  template <class Multiplier>
  void untangle_all(const Complex* tile, const Row<Complex>* half, Index first, Index lanes, const Factors& factors,
                    Direction direction) const;

  Index half_;  // n/2
  LaneFft<T> fft_;
  std::vector<Complex> roots_;  // omega_n^k for k up to n/4
};

}  // namespace kallima::kernel
