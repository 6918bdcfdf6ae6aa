#pragma once
// What a thread holds of a tile, and where its elements lie: in memory, which it loads them from and stores them into,
// and in shared memory. All but pointers and strides is known to the compiler.

#include "cuda/model/tile_call.hpp"
#include "cuda/whole/register_dft.cuh"

namespace kallima::cuda {

template <class Shape, class V>
struct TileWork {
  static constexpr int points = 1 << Shape::tile.registers;
  const TileCall& call;
  int index;  // thread, and above it rank
  int loop[tile_loops];
  V r[points], i[points];
};

template <class Runs, int j = 0>
__device__ __forceinline__ int gather(int index) {  // Runs::value(index), without a loop
  if constexpr (j >= Runs::value.runs) {
    return 0;
  } else {
    constexpr BitRun run = Runs::value.run[j];
    return (((index >> run.from) & ((1 << run.count) - 1)) << run.to) | gather<Runs, j + 1>(index);
  }
}

template <class Shape, int step, int digit>
struct DigitRuns {
  static constexpr BitRuns value = digit_runs(Shape::tile, step, digit);
};
template <class Shape, int step>
struct AddressRuns {
  static constexpr BitRuns value = address_runs(Shape::tile, step);
};
template <class Shape, bool to_rank>
struct FirstPlaceRuns {
  static constexpr BitRuns value = first_place_runs(Shape::tile, 1, to_rank);
};

template <class Shape, int step, int d>
__device__ __forceinline__ int digit_of(int index) {
  return gather<DigitRuns<Shape, step, d>>(index);
}

template <class Shape, int step>
__device__ __forceinline__ int thread_address(int index) {
  const int plain = gather<AddressRuns<Shape, step>>(index);
  int address = plain;
  static_for<0, 3>([&](auto j) {
    constexpr int from = Shape::tile.swizzle[j];
    if constexpr (from >= 0) address ^= ((plain >> from) & 1) << j;
  });
  return address;
}

// Calls body(k, p) for each register with where its element lies, on the side that is given.
template <class Shape, int step, class V, class Number, class Body>
__device__ __forceinline__ void for_each_element(const TileWork<Shape, V>& work, const int (&loop)[tile_loops],
                                                 const TileSide& side, Number* base, Body&& body) {
  base += loop[0] * side.loop[0] + loop[1] * side.loop[1] + loop[2] * side.loop[2];
  int thread = 0;
  static_for<0, Shape::tile.digits>([&](auto d) { thread += digit_of<Shape, step, d>(work.index) * side.digit[d]; });
  base += thread;
  static_for<0, TileWork<Shape, V>::points>([&](auto k) {
    int offset = 0;
    static_for<0, Shape::tile.digits>([&](auto d) {
      constexpr int value = digit_value(Shape::tile, step, d, k);
      if constexpr (value > 0) offset += value * side.digit[d];
    });
    body(k, base + offset);
  });
}

template <class Shape, int step, class V>
__device__ __forceinline__ void load(TileWork<Shape, V>& work, const TileSide& side) {
  const auto* base = static_cast<const ComplexOf<V>*>(work.call.in);
  for_each_element<Shape, step>(work, work.loop, side, base, [&](auto k, const ComplexOf<V>* p) {
    load_element(p, side.pair, Shape::tile.pairs_are_neighbours, work.r[k], work.i[k]);
    conjugate_if(work.i[k], work.call.conjugate_in);
  });
}

// Brings lines of 128 bytes into the second cache; of the threads that share one, each asks for other registers'.
template <class Shape, int step, class Number, class V>
__device__ __forceinline__ void prefetch(const TileWork<Shape, V>& work, const int (&loop)[tile_loops],
                                         const TileSide& side, const void* base) {
  constexpr bool split = LaneTraits<V>::count == 2 && !Shape::tile.pairs_are_neighbours;
  constexpr int bytes = static_cast<int>(sizeof(Number)) * (split ? 1 : LaneTraits<V>::count), sharing = 128 / bytes;
  for_each_element<Shape, step>(work, loop, side, static_cast<const Number*>(base), [&](auto k, const Number* p) {
    if ((work.index & (sharing - 1)) != (k & (sharing - 1))) return;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
    if constexpr (split) asm volatile("prefetch.global.L2 [%0];" ::"l"(p + side.pair));
  });
}

// The tile that is so many tiles further on; `shift`: of rows that are shifted by their number.
template <class Shape, int step, class V>
__device__ __forceinline__ void prefetch_ahead(const TileWork<Shape, V>& work, const TileSide& side, int shift = 0) {
  const auto& call = work.call;
  const unsigned ahead = work.loop[0] + static_cast<unsigned>(call.prefetch), rows = ahead / call.tiles[0];
  const int loop[tile_loops] = {static_cast<int>(ahead % call.tiles[0]), static_cast<int>(work.loop[1] + rows),
                                work.loop[2]};
  const auto* in = static_cast<const ComplexOf<V>*>(call.in) - (loop[1] & shift);
  if (static_cast<unsigned>(loop[1]) < call.tiles[1]) prefetch<Shape, step, ComplexOf<V>>(work, loop, side, in);
}

template <class Shape, int step, class V>
__device__ __forceinline__ void store(TileWork<Shape, V>& work, const TileSide& side) {
  if (work.call.scale != 1.0) {
    const auto scale = static_cast<RealOf<V>>(work.call.scale);
    static_for<0, TileWork<Shape, V>::points>(
        [&](auto k) { work.r[k] = scale * work.r[k], work.i[k] = scale * work.i[k]; });
  }
  auto* base = static_cast<ComplexOf<V>*>(work.call.out);
  const uint64_t policy = store_policy(false);
  for_each_element<Shape, step>(work, work.loop, side, base, [&](auto k, ComplexOf<V>* p) {
    conjugate_if(work.i[k], work.call.conjugate_out);
    store_element(p, side.pair, Shape::tile.pairs_are_neighbours, policy, work.r[k], work.i[k]);
  });
}

// exp(-2 pi i e / 2^bits). Long tables are the products of two short ones.
template <int bits, class Complex>
__device__ __forceinline__ Complex root(const Complex* table, int e) {
  constexpr int short_bits = 12;
  e &= (1 << bits) - 1;
  if constexpr (bits <= short_bits)
    return __ldg(table + e);
  else
    return product(__ldg(table + (e & ((1 << short_bits) - 1))), __ldg(table + (1 << short_bits) + (e >> short_bits)));
}

template <class V>
struct alignas(16) SharedElement {
  V r, i;
};

// Element k of this thread stands at thread ^ constant; where no bits meet, + lets the constant into the instruction.
template <class Shape, int step, int k>
__device__ __forceinline__ int element_address(int thread) {
  constexpr int mine = address_of(Shape::tile, step, k);
  return (thread ^ (mine & 7)) + (mine & ~7);
}

}  // namespace kallima::cuda
