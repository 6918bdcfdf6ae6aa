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

// Rows that begin there in the tile are neighbours in `run` elements of lines. They are turned a vector at a time; of
// those at the end that do not fill one, some before them are turned once more.
template <class T>
void LaneFft<T>::turn(const Call& call, const Row<Complex>& line, Index run, const Index* rows, Turn codelet) const {
  const Index lanes = call.lines ? vector_ : call.lanes;  // of a row in the tile
  const Index whole = run / vector_ * vector_;
  for (Index b = 0; b < call.lanes; b += lanes) {
    TurnedRows<T> it{.tile = reinterpret_cast<Complex*>(call.tile + b / vector_ * call.vector_at),
                     .at = rows,
                     .count = whole,
                     .lanes = lanes,
                     .lines = line.p + (call.first + b) * line.stride,
                     .line_apart = line.stride};
    codelet(it);
    if (whole == run) continue;
    it.at += run - vector_;
    it.lines += run - vector_;
    it.count = vector_;
    codelet(it);
  }
}

template <class T>
void LaneFft<T>::gather(const Call& call) const {
  const auto same = [](Index k) { return k; };
  if (const RowList<const Complex>& list = call.rows.in; call.lines && is_turned(list))  // only read
    return turn(call, {const_cast<Complex*>(list.base), list.lane_stride}, length_, lines_in_.data(),
                codelets<T>().turn_into_rows);
  const auto in_tile = call.in_order(rounds_.front().m);
  if (call.rows.in.lane_stride == 1 && !call.lines)
    return each_row(call, call.rows.in, in_tile, same,
                    [&](const Complex* outside, Complex* inside) { copy_row(outside, call.lanes, inside); });
  each_element(call, call.rows.in, in_tile, same, [](const Complex& outside, Complex& inside) { inside = outside; });
}

// Rows that are neighbours in the lines they go to, a few cache lines' worth of each line at a time.
template <class T>
void LaneFft<T>::scatter_lines(const Call& call) const {
  constexpr Index most = 32;
  const RowList<Complex>& list = call.rows.out;
  const Index run = length_ / list.every;
  for (Index c = 0; c < list.every; ++c) {
    const Row<Complex> line = list.rows == nullptr ? Row<Complex>{list.base, list.lane_stride} : list.rows[c];
    if (call.lines && list.every == 1) return turn(call, line, run, lines_out_.data(), codelets<T>().turn_into_lines);
    for (Index next = 0; next < run; next += most) {
      Index rows[most];
      const Index j = std::min(next, run - vector_), count = std::min(most, run - j);
      for (Index i = 0; i < count; ++i) {
        const Index k = c + (j + i) * list.every;
        rows[i] = call.at(order_[at(k == 0 || call.reversed == 0 ? k : length_ - k)]);
      }
      turn(call, {line.p + j, line.stride}, count, rows, codelets<T>().turn_into_lines);
    }
  }
}

template <class T>
void LaneFft<T>::scatter(const Call& call) const {
  if (is_turned(call.rows.out)) return scatter_lines(call);
  const auto in_tile = [&](Index k) { return call.row(order_[at(k)]); };
  const auto number = [&](Index k) { return k == 0 || call.reversed == 0 ? k : length_ - k; };
  const bool streamed = can_stream && call.rows.out.streamed;
  if (call.rows.out.lane_stride == 1 && !call.lines)
    return each_row(call, call.rows.out, in_tile, number, [&](Complex* outside, const Complex* inside) {
      streamed ? stream_row(inside, call.lanes, outside) : copy_row(inside, call.lanes, outside);
    });
  each_element(call, call.rows.out, in_tile, number, [](Complex& outside, const Complex& inside) { outside = inside; });
}

}  // namespace kallima::kernel
