#pragma once
// Transforms between n reals and the half of their spectrum, of many lines at once. The reals of a line, taken in
// pairs, are n/2 complex numbers; a LaneFft transforms these, and the spectra of even and odd reals are then told apart
// by their symmetry and joined. Each line is transformed by itself: nothing of one line gets into another.

#include <algorithm>
#include <span>

#include "kernel/lane_fft.hpp"
#include "kernel/roots.hpp"
#include "kernel/turned_lines.hpp"

namespace kallima::kernel {

// Below, what tells spectra apart would round more than all the rest, and lines go as complex numbers.
inline constexpr Index shortest_pairs = 18;  // reals, measured: errors are above 1.2 times FFTW's up to 16

template <class T>
class RealLaneFft {
 public:
  using Complex = std::complex<T>;
  using Factors = typename LaneFft<T>::Factors;

  // real_to_half or half_to_real, of an even length
  RealLaneFft(Index length, Kind kind)
      : half_(length / 2), fft_(half_, kind == Kind::real_to_half ? Direction::forward : Direction::backward) {
    const Roots roots(length);
    for (Index k = 0; k <= length / 4; ++k) roots_.push_back(roots.as<T>(k));
  }

  template <class C>
  struct Halves {  // length/2+1 rows of half spectra
    const Row<C>* rows;
    std::span<const LinePart> lines = {};  // all of them, where they are known to be neighbours
  };

  // Lanes first .. first + lanes - 1 of length/2 rows of pairs of reals and of half spectra. `direction` is that of the
  // factors.
  void to_half(const RowList<const Complex>& pairs, const Halves<Complex>& half, Index first, Index lanes,
               Factors factors, Direction direction, Complex* tile) const {
    fft_({pairs, in_tile(tile, first, lanes)}, first, lanes, {}, behind_rows(tile, lanes));
    RealRows<T> it = rows_of(tile, half.lines.empty() ? half.rows : nullptr, first, lanes);
    if (factors.row != nullptr || factors.fine != nullptr) it.multiply = Multiply::by_row;
    it.rows = factors.row;
    it.fine = factors.fine;
    it.fine_step = factors.fine_stride;
    it.scale = factors.scale;
    it.sign = direction == Direction::forward ? T(1) : T(-1);
    if (!half.lines.empty()) ask_for_lines<true>(half.rows[0], first, lanes, 0);
    codelets<T>().untangle(it);
    for (const LinePart& part : half.lines) turn_lines<true>(half.rows[part.first], part, first, lanes, tile);
  }

  void to_reals(const Halves<const Complex>& half, const RowList<Complex>& pairs, Index first, Index lanes, T scale,
                Complex* tile) const {
    const auto* const rows = reinterpret_cast<const Row<Complex>*>(half.rows);
    for (const LinePart& part : half.lines) turn_lines<false>(rows[part.first], part, first, lanes, tile);
    if (!half.lines.empty()) ask_for_lines<false>(rows[0], first + lanes, lanes, 0);
    codelets<T>().tangle(rows_of(tile, half.lines.empty() ? rows : nullptr, first, lanes));
    const RowList<Complex> spectra = in_tile(tile, first, lanes);
    fft_({{.base = spectra.base, .pitch = spectra.pitch, .lane_stride = 1}, pairs}, first, lanes, {.scale = scale},
         behind_rows(tile, lanes));
  }

  // The tile begins with room for the pairs of all lines: row k of `lanes` neighbours begins at spread_row(k, lanes).
  // Pairs may be given or left there; otherwise it is used in between.
  Index tile_elements(Index lanes) const { return spread_row<T>(half_ + 1, lanes) + fft_.tile_elements(lanes); }

 private:
  Complex* behind_rows(Complex* tile, Index lanes) const { return tile + spread_row<T>(half_ + 1, lanes); }

  // Rows of a tile that is given where lane `first` stands.
  static RowList<Complex> in_tile(Complex* tile, Index first, Index lanes) {
    return {.base = tile - first, .pitch = spread_row<T>(1, lanes), .lane_stride = 1};
  }

  RealRows<T> rows_of(Complex* tile, const Row<Complex>* half, Index first, Index lanes) const {
    return {.pairs = tile,
            .pairs_pitch = spread_row<T>(1, lanes),
            .half = half,
            .first_lane = first,
            .count = half_,
            .lanes = lanes,
            .roots = roots_.data()};
  }

  Index half_;  // n/2
  LaneFft<T> fft_;
  std::vector<Complex> roots_;  // omega_n^k for k up to n/4
};

}  // namespace kallima::kernel
