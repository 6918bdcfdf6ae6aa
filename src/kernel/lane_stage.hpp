#pragma once
// One stage of a LaneFft for one radix: load a row of packs, do the butterfly, multiply, store. Rows are either a
// tile's, real and imaginary parts apart, or the caller's, whose lanes are mostly neighbours and sometimes not. A
// backward transform is a forward one with real and imaginary parts exchanged on the way in and on the way out.

#include "kernel/butterflies.hpp"
#include "kernel/lane_fft.hpp"

namespace kallima::kernel {

template <class T>
struct TileRow {
  T* p;
  Index distance;
  Pack<T> load(Index b) const { return Pack<T>::load_split(p + b, distance); }
  void store(Index b, Pack<T> x) const { x.store_split(p + b, distance); }
};

template <class T, bool backward>
struct NearRow {
  std::complex<T>* p;
  Pack<T> load(Index b) const {
    const Pack<T> x = Pack<T>::load(p + b);
    return backward ? x.swapped() : x;
  }
  void store(Index b, Pack<T> x) const { (backward ? x.swapped() : x).store(p + b); }
};

template <class T, bool backward>
struct FarRow {
  std::complex<T>* p;
  Index stride;
  Pack<T> load(Index b) const {
    const Pack<T> x = Pack<T>::load(p + b * stride, stride);
    return backward ? x.swapped() : x;
  }
  void store(Index b, Pack<T> x) const { (backward ? x.swapped() : x).store(p + b * stride, stride); }
};

// Twiddle factors that are the same in all lanes, and those of the last stage.
template <class T, int R>
struct Multipliers {
  T c[R];
  T s[R];
  const std::complex<T>* fine[R];
};

enum class Multiply { not_at_all, all_but_first, by_row, by_row_and_lane };

// Unrolled by order: an array of packs that is indexed in a real loop lives in memory, not in registers.
template <Multiply how, class T, int R, class In, class Out>
void rows_times(const In (&in)[R], const Out (&out)[R], Index lanes, const Multipliers<T, R>& w) {
  for (Index b = 0; b < lanes; b += Pack<T>::lanes) {
    Pack<T> x[R];
#pragma GCC unroll 8
    for (int q = 0; q < R; ++q) x[q] = in[q].load(b);
    butterfly(x);
    if constexpr (how != Multiply::not_at_all)
#pragma GCC unroll 8
      for (int q = how == Multiply::all_but_first ? 1 : 0; q < R; ++q) x[q] = x[q].times(w.c[q], w.s[q]);
    if constexpr (how == Multiply::by_row_and_lane)
#pragma GCC unroll 8
      for (int q = 0; q < R; ++q) x[q] = x[q].times(Pack<T>::load(w.fine[q] + b));
#pragma GCC unroll 8
    for (int q = 0; q < R; ++q) out[q].store(b, x[q]);
  }
}

template <class T, int R, class In, class Out>
void rows(Multiply how, const In (&in)[R], const Out (&out)[R], Index lanes, const Multipliers<T, R>& w) {
  switch (how) {
    case Multiply::not_at_all:
      return rows_times<Multiply::not_at_all, T, R>(in, out, lanes, w);
    case Multiply::all_but_first:
      return rows_times<Multiply::all_but_first, T, R>(in, out, lanes, w);
    case Multiply::by_row:
      return rows_times<Multiply::by_row, T, R>(in, out, lanes, w);
    case Multiply::by_row_and_lane:
      return rows_times<Multiply::by_row_and_lane, T, R>(in, out, lanes, w);
  }
}

template <class T>
struct TileSource {
  T* base;
  Index lanes;
  template <int R>
  void prefetch(Index, Index) const {}  // a tile is in cache
  template <int R, class Then>
  void with_rows(Index first, Index step, const Then& then) const {
    TileRow<T> row[R];
    for (int q = 0; q < R; ++q) row[q] = {base + 2 * (first + q * step) * lanes, lanes};
    then(row);
  }
};

// The caller's rows, from lane `shift` on. Near or far is decided for the rows of a butterfly together.
template <class T, bool backward, class C>
struct ListedSource {
  const Row<C>* list;
  Index list_step;
  Index shift;
  template <int R>
  void prefetch(Index first, Index step) const {
    for (int q = 0; q < R; ++q) {
      const Row<C>& r = list[(first + q * step) * list_step];
      __builtin_prefetch(r.p + shift * r.stride);
      __builtin_prefetch(reinterpret_cast<const char*>(r.p + shift * r.stride) + 64);
    }
  }
  template <int R, class Then>
  void with_rows(Index first, Index step, const Then& then) const {
    bool near = true;
    for (int q = 0; q < R; ++q) near = near && list[(first + q * step) * list_step].stride == 1;
    NearRow<T, backward> near_row[R];
    FarRow<T, backward> far_row[R];
    for (int q = 0; q < R; ++q) {
      const Row<C>& r = list[(first + q * step) * list_step];
      auto* p = const_cast<std::complex<T>*>(r.p) + shift * r.stride;  // sources are only loaded from
      near_row[q] = {p};
      far_row[q] = {p, r.stride};
    }
    near ? then(near_row) : then(far_row);
  }
};

// The multipliers of outputs k, k + s, ... of the last stage.
template <class T, int R>
Multiply last_multipliers(const typename LaneFft<T>::Factors& f, Index k, Index s, Multipliers<T, R>& w) {
  for (int u = 0; u < R; ++u, k += s) {
    w.c[u] = f.scale * (f.row == nullptr ? T(1) : f.row[k * f.step].real());
    w.s[u] = f.scale * (f.row == nullptr ? T(0) : f.row[k * f.step].imag());
    w.fine[u] = f.fine == nullptr ? nullptr : f.fine + k * f.fine_stride;
  }
  if (f.fine != nullptr) return Multiply::by_row_and_lane;
  return f.row != nullptr || f.scale != T(1) ? Multiply::by_row : Multiply::not_at_all;
}

// The last stage: s butterflies, to the caller's rows.
template <class T, int R, class In, class Out>
void last_stage(const In& in, const Out& out, Index s, Index lanes, const typename LaneFft<T>::Factors& factors) {
  Multipliers<T, R> w{};
  for (Index q = 0; q < s; ++q) {
    const Multiply how = last_multipliers<T, R>(factors, q, s, w);
    in.template with_rows<R>(q, s, [&](const auto& from) {
      out.template with_rows<R>(q, s, [&](const auto& to) { rows<T, R>(how, from, to, lanes, w); });
    });
  }
}

// Rows far apart in memory are asked for this many butterflies ahead; the hardware does not guess such strides.
inline constexpr Index prefetch_distance = 12;

// Any other: m groups of s butterflies with the same twiddles, to a tile.
template <class T, int R, class In>
void stage(const In& in, const TileSource<T>& out, Index m, Index s, Index lanes, const std::complex<T>* twiddles) {
  Multipliers<T, R> w{};
  for (Index p = 0; p < m; ++p, twiddles += R - 1) {
    for (int u = 1; u < R; ++u) {
      w.c[u] = twiddles[u - 1].real();
      w.s[u] = twiddles[u - 1].imag();
    }
    const Multiply how = p == 0 ? Multiply::not_at_all : Multiply::all_but_first;
    if (p + prefetch_distance < m) in.template prefetch<R>(s * (p + prefetch_distance), s * m);
    for (Index q = 0; q < s; ++q)
      in.template with_rows<R>(q + s * p, s * m, [&](const auto& from) {
        out.template with_rows<R>(q + s * R * p, s, [&](const auto& to) { rows<T, R>(how, from, to, lanes, w); });
      });
  }
}

}  // namespace kallima::kernel
