#pragma once
// Rows of lanes: element i of many lines, one line per lane. How a transform's rows are given, what multiplies them,
// and how codelets are told.

#include "kernel/cpu/codelets.hpp"

namespace kallima::kernel {

// The rows of a transform: every `step`-th of a list or, where they stand `pitch` apart, from row 0 on.
template <class C>
struct RowList {
  const Row<C>* rows = nullptr;
  Index step = 1;  // or else:
  C* base = nullptr;
  Index pitch = 0;
  Index lane_stride = 0;  // of all rows; 0: each has its own
  Index every = 0;        // every so many rows are neighbours in lines; 0: not so, or not known
  bool streamed = false;  // stored past the caches
  bool distant = false;   // in no cache, and worth asking for though they are less than a page apart
};

template <class T>
struct RowsInOut {
  RowList<const std::complex<T>> in;
  RowList<std::complex<T>> out;
};

// Where row k of several lanes stands in a tile: distances of powers of two would all fall into one cache set.
template <class T>
constexpr Index spread_row(Index k, Index lanes) {
  return k * (lanes + static_cast<Index>(64 / sizeof(std::complex<T>)));
}

// What multiplies row k in the end: row[k * step], where given, times fine[k * fine_stride + b], where given, times
// scale. These are the factors of a forward transform; a backward one uses their conjugates. Where factors differ by
// lane, both are powers: those of row h + k are those of h times those of k. So a transform can do with the ones of a
// few rows, which it puts together for the last round (Butterflies): fine and tails.
template <class T>
struct RowFactors {
  const std::complex<T>* row = nullptr;
  Index step = 1;
  const std::complex<T>* fine = nullptr;
  Index fine_stride = 0;
  T scale = 1;
  const std::complex<T>* tails = nullptr;
  Index tails_stride = 0;
  // The same as a table of a forward transform: `heads` rows of fine, behind them tails, all fine_stride apart.
  const std::complex<T>* listed = nullptr;
  Index heads = 0;

  RowFactors from_lane(Index b) const {
    RowFactors some = *this;
    for (const std::complex<T>** by_lane : {&some.fine, &some.tails, &some.listed})
      if (*by_lane != nullptr) *by_lane += b;
    return some;
  }

  void tell(Butterflies<T>& it, Direction direction) const {
    if (fine != nullptr)
      it.multiply = Multiply::by_row_and_lane;
    else if (row != nullptr || scale != T(1))
      it.multiply = Multiply::by_row;
    it.rows = row;
    it.rows_step = step;
    it.fine = fine;
    it.fine_step = fine_stride;
    it.tails = tails;
    it.tails_step = tails_stride;
    it.scale = scale;
    it.sign = direction == Direction::forward ? T(1) : T(-1);
  }
};

inline constexpr Index page_bytes = 4096;

// Rows start, start + each, ... and, of each butterfly, every `step`-th after them, from lane `first` on.
template <class T, class C>
RowsOf<T> rows_of(const RowList<C>& list, Index first, Index lanes, Index start = 0, Index each = 1, Index step = 1) {
  const Index vector = codelets<T>().lanes;
  RowsOf<T> some;
  some.list = reinterpret_cast<const Row<const std::complex<T>>*>(list.rows);
  some.list_step = list.step;
  some.first = start;
  some.each = each;
  some.step = step;
  some.first_lane = first;
  some.lane_stride = list.lane_stride;
  some.vector_at = 2 * vector * list.lane_stride;
  some.far = list.lane_stride == 1 && lanes > vector;
  if (list.rows != nullptr) return some;
  some.base = const_cast<T*>(reinterpret_cast<const T*>(list.base + first * list.lane_stride));
  some.pitch = 2 * list.pitch;
  some.each_at = each * some.pitch;
  some.step_at = step * some.pitch;
  const bool pages_apart = list.pitch * static_cast<Index>(sizeof(std::complex<T>)) >= page_bytes;
  some.far = some.far && (list.distant || pages_apart);
  return some;
}

}  // namespace kallima::kernel
