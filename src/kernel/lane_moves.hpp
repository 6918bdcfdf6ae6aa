#pragma once
// How rows come into a tile and out of it, where no round reads or writes them where they stand. Part of lane_fft.cpp.

#include <algorithm>

#include "kernel/cpu/stream.hpp"
#include "kernel/lane_call.hpp"
#include "kernel/lane_rounds.hpp"

namespace kallima::kernel {

// Calls copy(the caller's, the tile's) for the elements of all lanes, a few cache lines' worth of each line at a time,
// since lines far apart tend to share cache sets.
template <class T>
template <class C>
void LaneFft<T>::each_element(const Call& call, const RowList<C>& list, auto in_tile, const auto& number,
                              const auto& copy) const {
  constexpr Index largest = static_cast<Index>(512 / sizeof(Complex));
  const Index most = narrow_vectors<T>() ? largest : largest / 4;
  for (Index k = 0; k < length_; k += most) {
    const Index count = std::min(most, length_ - k);
    C* outside[largest];
    Index stride[largest];
    Complex* inside[largest];
    for (Index j = 0; j < count; ++j) {
      const Index theirs = number(k + j);
      inside[j] = in_tile(k + j);
      stride[j] = list.rows == nullptr ? list.lane_stride : list.rows[theirs * list.step].stride;
      outside[j] = (list.rows == nullptr ? list.base + theirs * list.pitch : list.rows[theirs * list.step].p) +
                   call.first * stride[j];
    }
    for (Index v = 0; v < call.lanes; v += call.vector)
      for (Index b = v; b < v + call.vector; ++b)
        for (Index j = 0; j < count; ++j)
          copy(outside[j][b * stride[j]], inside[j][v / call.vector * call.vector_at / 2 + b - v]);
  }
}

// Calls copy(the caller's, the tile's) for whole rows, whose lanes are neighbours. Rows to come, of the next lanes in
// the end, are asked for: hardware does not guess such strides, and a first-level cache has no room for those that fall
// into the same set.
template <class T>
template <class C>
void LaneFft<T>::each_row(const Call& call, const RowList<C>& list, auto in_tile, const auto& number,
                          const auto& copy) const {
  constexpr int second_level = 2;
  const auto at = [&](Index k) {
    return (list.rows == nullptr ? list.base + k * list.pitch : list.rows[k * list.step].p) + call.first;
  };
  for (Index k = 0; k < length_; ++k) {
    if constexpr (std::is_const_v<C>) {
      const bool here = k + rows_ahead < length_;
      const Index next = k + rows_ahead - (here ? 0 : length_), lane = here ? 0 : call.lanes;
      for (Index b = 0; b < call.lanes; b += static_cast<Index>(64 / sizeof(Complex)))
        __builtin_prefetch(at(number(next)) + lane + b, 0, second_level);
    }
    copy(at(number(k)), in_tile(k));
  }
}

template <class T>
void LaneFft<T>::gather(const Call& call) const {
  const auto same = [](Index k) { return k; };
  const auto in_tile = call.in_order(rounds_.front().m);
  if (call.rows.in.lane_stride == 1 && !call.lines)
    return each_row(call, call.rows.in, in_tile, same,
                    [&](const Complex* outside, Complex* inside) { copy_row(outside, call.lanes, inside); });
  each_element(call, call.rows.in, in_tile, same, [](const Complex& outside, Complex& inside) { inside = outside; });
}

// Rows that are neighbours in the lines they go to, a few cache lines' worth of each line at a time.
template <class T>
void LaneFft<T>::turn(const Call& call) const {
  constexpr Index most = 32;
  const RowList<Complex>& list = call.rows.out;
  const Index blocks = rounds_.front().radix, m = rounds_.front().m, run = length_ / list.every;
  const auto in_tile = [&](Index k) {
    const Index u = k % blocks;
    return call.row(u, order_[static_cast<std::size_t>(k)] - u * m);
  };
  for (Index c = 0; c < list.every; ++c) {
    const Row<Complex> line = list.rows == nullptr ? Row<Complex>{list.base, list.lane_stride} : list.rows[c];
    for (Index j = 0; j < run; j += most) {
      Complex* inside[most];
      const Index count = std::min(most, run - j);
      for (Index i = 0; i < count; ++i) {
        const Index k = c + (j + i) * list.every;
        inside[i] = in_tile(k == 0 || call.reversed == 0 ? k : length_ - k);
      }
      codelets<T>().turn_into_lines({.rows = inside,
                          .count = count,
                          .lanes = call.lanes,
                          .lines = line.p + call.first * line.stride + j,
                          .line_apart = line.stride});
    }
  }
}

template <class T>
void LaneFft<T>::scatter(const Call& call) const {
  const Index every = call.rows.out.every;
  if (every > 0 && length_ / every % vector_ == 0 && !call.lines) return turn(call);
  const Index blocks = rounds_.front().radix, m = rounds_.front().m;  // the first round's is the first digit of k
  const auto in_tile = [this, &call, blocks, m, u = Index{-1}](Index k) mutable {
    if (++u == blocks) u = 0;
    return call.row(u, order_[static_cast<std::size_t>(k)] - u * m);
  };
  const auto number = [&](Index k) { return k == 0 || call.reversed == 0 ? k : length_ - k; };
  const bool streamed = can_stream && call.rows.out.streamed;
  if (call.rows.out.lane_stride == 1 && !call.lines)
    return each_row(call, call.rows.out, in_tile, number, [&](Complex* outside, const Complex* inside) {
      streamed ? stream_row(inside, call.lanes, outside) : copy_row(inside, call.lanes, outside);
    });
  each_element(call, call.rows.out, in_tile, number, [](Complex& outside, const Complex& inside) { outside = inside; });
}

}  // namespace kallima::kernel
