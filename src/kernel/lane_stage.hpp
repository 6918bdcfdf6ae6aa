#pragma once
// One stage of a LaneFft for one radix: load a row of packs, do the butterfly, multiply, store. Rows are either a
// tile's, real and imaginary parts apart, or the caller's, whose lanes are mostly neighbours and sometimes not. A
// backward transform is a forward one with real and imaginary parts exchanged on the way in and on the way out.

#include <utility>

#include "kernel/lane_fft.hpp"
#include "kernel/vector.hpp"

namespace kallima::kernel {

template <class T>
struct TileRow {
  T* p;
  Pack<T> load(Index b) const { return Pack<T>::load_pack(p + 2 * b); }
  void store(Index b, Pack<T> x) const { x.store_pack(p + 2 * b); }
};

// The caller's: neighbours, or `stride` apart.
template <class T, bool near, bool backward>
struct CallersRow {
  std::complex<T>* p;
  Index stride;
  Pack<T> load(Index b) const {
    const Pack<T> x = near ? Pack<T>::load(p + b) : Pack<T>::load(p + b * stride, stride);
    return backward ? x.swapped() : x;
  }
  void store(Index b, Pack<T> x) const {
    if (backward) x = x.swapped();
    near ? x.store(p + b) : x.store(p + b * stride, stride);
  }
};

// All rows of a transform, by number.
template <class T>
struct TileRows {
  T* base;
  Index lanes;
  TileRow<T> operator[](Index k) const { return {base + 2 * k * lanes}; }
  template <int write>
  void prefetch(Index, Index) const {}  // a tile is in cache
};

template <class T, bool backward, class C, bool near>
struct ListedRows {
  const Row<C>* list;
  Index list_step;
  Index shift;  // the first lane
  CallersRow<T, near, backward> operator[](Index k) const {
    const Row<C>& r = list[k * list_step];
    return {const_cast<std::complex<T>*>(r.p) + shift * r.stride, r.stride};  // sources are only loaded from
  }
  template <int write>
  void prefetch(Index k, Index lanes) const {
    const Row<C>& r = list[k * list_step];
    const C* p = r.p + shift * r.stride;
    if constexpr (near) {
      for (Index b = 0; b < lanes; b += cache_line) __builtin_prefetch(p + b, write);
    } else if (reinterpret_cast<std::uintptr_t>(p) % 64 < sizeof(C)) {  // the first row in a cache line asks for it
      for (Index b = 0; b < lanes; ++b) __builtin_prefetch(p + b * r.stride, write);
    }
  }
  static constexpr Index cache_line = 64 / static_cast<Index>(sizeof(C));
};

// Twiddle factors that are the same in all lanes, and those of the last stage.
template <class T, int R>
struct Multipliers {
  T c[R];
  T s[R];
  const std::complex<T>* fine[R];
};

enum class Multiply { not_at_all, all_but_first, by_row, by_row_and_lane };

// One butterfly of rows first_in, first_in + step_in, ... in all lanes. Unrolled by order: an array of packs or rows
// that is indexed in a real loop lives in memory, not in registers; and what is not copied first is read anew after
// every store.
template <Multiply how, int R, class T, class In, class Out>
void rows_times(const In& in, Index first_in, Index step_in, const Out& out, Index first_out, Index step_out,
                Index lanes, const Multipliers<T, R>& multipliers) {
  decltype(in[0]) from[R];
  decltype(out[0]) to[R];
  Multipliers<T, R> w;
#pragma GCC unroll 8
  for (int q = 0; q < R; ++q) {
    from[q] = in[first_in + q * step_in];
    to[q] = out[first_out + q * step_out];
    w.c[q] = multipliers.c[q];
    w.s[q] = multipliers.s[q];
    w.fine[q] = multipliers.fine[q];
  }
  for (Index b = 0; b < lanes; b += Pack<T>::lanes) {
    Pack<T> x[R];
#pragma GCC unroll 8
    for (int q = 0; q < R; ++q) x[q] = from[q].load(b);
    butterfly(x);
    if constexpr (how != Multiply::not_at_all)
#pragma GCC unroll 8
      for (int q = how == Multiply::all_but_first ? 1 : 0; q < R; ++q) x[q] = x[q].times(w.c[q], w.s[q]);
    if constexpr (how == Multiply::by_row_and_lane)
#pragma GCC unroll 8
      for (int q = 0; q < R; ++q) x[q] = x[q].times(Pack<T>::load(w.fine[q] + b));
#pragma GCC unroll 8
    for (int q = 0; q < R; ++q) to[q].store(b, x[q]);
  }
}

// The multipliers of outputs k, k + s, ... of the last stage.
template <Multiply how, class T, int R>
void last_multipliers(const typename LaneFft<T>::Factors& f, Index k, Index s, Multipliers<T, R>& w) {
  if constexpr (how == Multiply::not_at_all) return;
  for (int u = 0; u < R; ++u, k += s) {
    w.c[u] = f.scale * (f.row == nullptr ? T(1) : f.row[k * f.step].real());
    w.s[u] = f.scale * (f.row == nullptr ? T(0) : f.row[k * f.step].imag());
    w.fine[u] = f.fine == nullptr ? nullptr : f.fine + k * f.fine_stride;
  }
}

// Which of its butterflies a last stage does.
struct Butterflies {
  Index first, step;
};

// How many butterflies, or copies, ahead rows far apart in memory are asked for: hardware does not guess such strides.
inline constexpr Index butterflies_ahead = 4;
inline constexpr Index copies_ahead = 16;

// The last stage: s butterflies of neighbouring rows, to the caller's; outputs k, k + s, ... come from block order[k].
template <Multiply how, class T, int R, class In, class Out>
void last_stage_times(const In& in, const Out& out, const std::vector<Index>& order, Butterflies which, Index lanes,
                      const typename LaneFft<T>::Factors& factors) {
  const Index s = std::ssize(order);
  Multipliers<T, R> w{};
  const Index ahead = butterflies_ahead * which.step;
  for (Index k = which.first; k < s; k += which.step) {
    last_multipliers<how>(factors, k, s, w);
    for (int u = 0; u < R && k + ahead < s; ++u) out.template prefetch<1>(k + ahead + u * s, lanes);
    rows_times<how, R>(in, R * order[at(k)], 1, out, k, s, lanes, w);
  }
}

template <class T, int R, class In, class Out>
void last_stage(const In& in, const Out& out, const std::vector<Index>& order, Butterflies which, Index lanes,
                const typename LaneFft<T>::Factors& factors) {
  if (factors.fine != nullptr)
    last_stage_times<Multiply::by_row_and_lane, T, R>(in, out, order, which, lanes, factors);
  else if (factors.row != nullptr || factors.scale != T(1))
    last_stage_times<Multiply::by_row, T, R>(in, out, order, which, lanes, factors);
  else
    last_stage_times<Multiply::not_at_all, T, R>(in, out, order, which, lanes, factors);
}

// Any other: from row `start` on, some blocks of m butterflies each, of rows m apart, to the same rows of a tile.
template <class T, int R, class In>
void stage(const In& in, const TileRows<T>& out, Index m, Index start, Index blocks, const std::complex<T>* twiddles) {
  Multipliers<T, R> w{};
  for (Index p = 0; p < m; ++p, twiddles += R - 1) {
    for (int u = 1; u < R; ++u) {
      w.c[u] = twiddles[u - 1].real();
      w.s[u] = twiddles[u - 1].imag();
    }
    for (int q = 0; q < R && p + butterflies_ahead < m; ++q)
      in.template prefetch<0>(p + butterflies_ahead + q * m, out.lanes);
    for (Index first = start + p; first < start + blocks * R * m; first += R * m)
      if (p == 0)
        rows_times<Multiply::not_at_all, R>(in, first, m, out, first, m, out.lanes, w);
      else
        rows_times<Multiply::all_but_first, R>(in, first, m, out, first, m, out.lanes, w);
  }
}

// Lists that are needed for the length of a call. Their memory stays with the thread for the next call, so that what
// was run once is run again without allocating. Those of calls within calls each have their own.
template <class Entry>
class Scratch {
 public:
  explicit Scratch(std::size_t size) {
    if (!spare().empty()) {
      list_ = std::move(spare().back());
      spare().pop_back();
    }
    list_.resize(size);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { spare().push_back(std::move(list_)); }

  Entry& operator[](std::size_t i) { return list_[i]; }
  const Entry* data() const { return list_.data(); }

 private:
  static std::vector<std::vector<Entry>>& spare() {
    thread_local std::vector<std::vector<Entry>> lists;
    return lists;
  }

  std::vector<Entry> list_;
};

}  // namespace kallima::kernel
