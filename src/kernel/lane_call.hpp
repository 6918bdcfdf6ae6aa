#pragma once
// What one call of a LaneFft works on: the caller's rows, the tile, and the blocks that rounds leave in it.

#include "kernel/lane_fft.hpp"

namespace kallima::kernel {

template <class T>
struct LaneFft<T>::Call {
  const Rows& rows;
  Index first, lanes;
  const Factors& factors;
  T* tile;
  Complex* pairs;           // behind it: factors of a round
  Index pitch;              // reals between its rows
  Index group;              // and between blocks that the first round leaves
  Index vector, vector_at;  // lanes, and reals of the tile between one and the next
  bool lines;               // lanes stand along their lines
  bool gathered, scattered;
  Index reversed;  // 0: a forward transform

  // Some of the caller's rows.
  template <class C>
  RowsOf<T> of(const RowList<C>& list, Index start, Index each, Index step) const {
    return rows_of<T>(list, first, lanes, start, each, step);
  }

  Index at(const Place& it) const { return (it.block * group + it.within * pitch) / 2; }
  Complex* row(const Place& it) const { return reinterpret_cast<Complex*>(tile) + at(it); }

  // Where rows 0, 1, 2, ... stand in blocks of m, to be asked for one after another.
  auto in_order(Index m) const {
    return [this, m, block = Index{0}, within = Index{-1}](Index) mutable {
      if (++within == m) ++block, within = 0;
      return row({block, within});
    };
  }

  RowsOf<T> in_tile(T* block, Index each_at, Index step_at) const {
    return {.base = block, .each_at = each_at, .step_at = step_at, .vector_at = vector_at};
  }

  void run(const ButterflyCodelet<T>& codelet, Butterflies<T> it) const {
    it.lanes = lanes;
    it.along = lines && it.count * vector >= lanes;
    codelet(it);
  }
};

// What the last round finds in the tile: `count` blocks of its radix, whose results are rows first, first + each, ...
// of the caller's and every `step`-th after them.
template <class T>
struct LaneFft<T>::Blocks {
  T* block;
  Index count, apart, row_apart;  // reals between blocks and between rows
  Index first, each, step;
};

}  // namespace kallima::kernel
