#pragma once
// Transforms between n reals and the half of their spectrum, of many lines at once. The reals of a line, taken in
// pairs, are n/2 complex numbers; a LaneFft transforms these, and the spectra of even and odd reals are then told apart
// by their symmetry and joined. Each line is transformed by itself: nothing of one line gets into another.

#include "kernel/lane_stage.hpp"
#include "kernel/roots.hpp"

namespace kallima::kernel {

template <class T>
[[gnu::always_inline]] inline Pack<T> conj(Pack<T> x) {
  return {x.re, -x.im};
}

// What multiplies one row in the end.
template <class T>
struct LaneFactor {
  T c, s;
  const std::complex<T>* fine;
  T sign;
  LaneFactor(const typename LaneFft<T>::Factors& f, Index k, T scale, Direction direction)
      : c(scale), s(0), fine(f.fine == nullptr ? nullptr : f.fine + k * f.fine_stride) {
    sign = direction == Direction::forward ? T(1) : T(-1);
    if (f.row == nullptr) return;
    c = f.row[k * f.step].real() * scale;
    s = f.row[k * f.step].imag() * scale * sign;
  }
  [[gnu::always_inline]] Pack<T> operator()(Pack<T> x, Index b) const {
    x = x.times(c, s);
    if (fine == nullptr) return x;
    const Pack<T> w = Pack<T>::load(fine + b);
    return x.times(Pack<T>{w.re, sign * w.im});
  }
};

template <class T>
struct LaneScale {
  T scale;
  LaneScale(const typename LaneFft<T>::Factors&, Index, T by, Direction) : scale(by) {}
  [[gnu::always_inline]] Pack<T> operator()(Pack<T> x, Index) const { return scale * x; }
};

// Rows k and n/2-k of pairs' spectra, z and y, to the same of the reals'. Both are one row where k is n/4.
template <class T, class Multiplier, class Lanes>
void untangle(const std::complex<T>* z, const std::complex<T>* y, const Lanes& low, const Lanes& high, Index lanes,
              std::complex<T> root, const Multiplier& times_low, const Multiplier& times_high) {
  for (Index b = 0; b < lanes; b += Pack<T>::lanes) {
    const Pack<T> a = Pack<T>::load(z + b), c = conj(Pack<T>::load(y + b));
    const Pack<T> even = a + c, odd = (a - c).turned().times(root.real(), root.imag());
    low.store(b, times_low(even + odd, b));
    high.store(b, times_high(conj(even - odd), b));
  }
}

template <class T, class Multiplier, class Lanes>
void untangle_ends(const std::complex<T>* z, const Lanes& first, const Lanes& last, Index lanes,
                   const Multiplier& times_first, const Multiplier& times_last) {
  const typename Pack<T>::Vector zero{};
  for (Index b = 0; b < lanes; b += Pack<T>::lanes) {
    const Pack<T> a = Pack<T>::load(z + b);
    first.store(b, times_first(Pack<T>{a.re + a.im, zero}, b));
    last.store(b, times_last(Pack<T>{a.re - a.im, zero}, b));
  }
}

// The way back: rows k and n/2-k of the reals' spectra to those of pairs.
template <class T, class Lanes>
void tangle(const Lanes& low, const Lanes& high, std::complex<T>* z, std::complex<T>* y, Index lanes,
            std::complex<T> root) {
  for (Index b = 0; b < lanes; b += Pack<T>::lanes) {
    const Pack<T> a = low.load(b), c = conj(high.load(b));
    const Pack<T> even = a + c, odd = (a - c).times(root.real(), -root.imag()).turned();
    (even - odd).store(z + b);
    conj(even + odd).store(y + b);
  }
}

template <class T, class Lanes>
void tangle_ends(const Lanes& first, const Lanes& last, std::complex<T>* z, Index lanes) {
  for (Index b = 0; b < lanes; b += Pack<T>::lanes) {
    const Pack<T> a = first.load(b), c = last.load(b);
    Pack<T>{a.re + c.re, a.re - c.re}.store(z + b);
  }
}

// Calls then(low, high) with rows k and m, as neighbours if both are.
template <class T, class C, class Then>
void with_lanes(const Row<C>* rows, Index k, Index m, Index first, const Then& then) {
  const auto call = [&]<bool near>(std::bool_constant<near>) {
    const ListedRows<T, false, C, near> listed{rows, 1, first};
    then(listed[k], listed[m]);
  };
  rows[k].stride == 1 && rows[m].stride == 1 ? call(std::true_type{}) : call(std::false_type{});
}

template <class T>
class RealLaneFft {
 public:
  using Complex = std::complex<T>;
  using Factors = typename LaneFft<T>::Factors;

  static bool supports(Index length) { return length % 2 == 0 && LaneFft<T>::supports(length / 2); }

  // real_to_half or half_to_real
  RealLaneFft(Index length, Kind kind)
      : half_(length / 2), fft_(half_, kind == Kind::real_to_half ? Direction::forward : Direction::backward) {
    const Roots roots(length);
    for (Index k = 0; k <= length / 4; ++k) roots_.push_back(roots.as<T>(k));
  }

  // Lanes first .. first + lanes - 1 of length/2 rows of pairs of reals and length/2+1 rows of half spectra.
  // `direction` is that of the factors.
  void to_half(const Row<const Complex>* pairs, const Row<Complex>* half, Index first, Index lanes,
               const Factors& factors, Direction direction, Complex* tile) const {
    Scratch<Row<Complex>> between(static_cast<std::size_t>(half_));
    for (Index k = 0; k < half_; ++k) between[at(k)] = {tile + spread_row<T>(k, lanes) - first, 1};
    fft_({{pairs, pairs[0].stride == 1}, {between.data(), true}}, first, lanes, {}, tile + spread_row<T>(half_, lanes));
    if constexpr (has_vectors<T>) {
      if (factors.row == nullptr && factors.fine == nullptr)
        untangle_all<LaneScale<T>>(tile, half, first, lanes, factors, direction);
      else
        untangle_all<LaneFactor<T>>(tile, half, first, lanes, factors, direction);
    }
  }

  void to_reals(const Row<const Complex>* half, const Row<Complex>* pairs, Index first, Index lanes, T scale,
                Complex* tile) const {
    if constexpr (has_vectors<T>) {
      with_lanes<T>(half, 0, half_, first,
                    [&](const auto& low, const auto& high) { tangle_ends<T>(low, high, tile, lanes); });
      for (Index k = 1, m = half_ - 1; k <= m; ++k, --m)
        with_lanes<T>(half, k, m, first, [&](const auto& low, const auto& high) {
          tangle<T>(low, high, tile + spread_row<T>(k, lanes), tile + spread_row<T>(m, lanes), lanes, roots_[at(k)]);
        });
    }
    Scratch<Row<const Complex>> between(static_cast<std::size_t>(half_));
    for (Index k = 0; k < half_; ++k) between[at(k)] = {tile + spread_row<T>(k, lanes) - first, 1};
    fft_({{between.data(), true}, {pairs, pairs[0].stride == 1}}, first, lanes, {.scale = scale},
         tile + spread_row<T>(half_, lanes));
  }

  // The tile begins with room for the pairs of all lines: row k of `lanes` neighbours begins at spread_row(k, lanes).
  // Pairs may be given or left there; otherwise it is used in between.
  Index tile_elements(Index lanes) const { return spread_row<T>(half_, lanes) + lanes * fft_.tile_rows(); }

 private:
  template <class Multiplier>
  void untangle_all(const Complex* tile, const Row<Complex>* half, Index first, Index lanes, const Factors& factors,
                    Direction direction) const {
    const auto by = [&](Index k, T scale) { return Multiplier(factors, k, scale, direction); };
    with_lanes<T>(half, 0, half_, first, [&](const auto& low, const auto& high) {
      untangle_ends<T>(tile, low, high, lanes, by(0, factors.scale), by(half_, factors.scale));
    });
    for (Index k = 1, m = half_ - 1; k <= m; ++k, --m)
      with_lanes<T>(half, k, m, first, [&](const auto& low, const auto& high) {
        untangle<T>(tile + spread_row<T>(k, lanes), tile + spread_row<T>(m, lanes), low, high, lanes, roots_[at(k)],
                    by(k, factors.scale / 2), by(m, factors.scale / 2));
      });
  }

  Index half_;  // n/2
  LaneFft<T> fft_;
  std::vector<Complex> roots_;  // omega_n^k for k up to n/4
};

}  // namespace kallima::kernel
