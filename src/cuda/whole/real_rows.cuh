#pragma once
// Rows of n real numbers are done as n/2 complex ones, and untangled behind the transform or tangled before it.

#include "cuda/whole/tile_work.cuh"

namespace kallima::cuda {

// Rows of reals were transformed as complex numbers, x[2j] + i x[2j+1]. What belongs to a frequency is found in it and
// its mirror image, in x and in the rows alike. Only then come the roots that the rows still lack. The frequency n/2 is
// found with frequency 0; it has no register, and is stored at once.
template <class Shape, class V>
__device__ __forceinline__ void untangle(TileWork<Shape, V>& work, SharedElement<V>* shared, ComplexOf<V>* middle) {
  constexpr Tile t = Shape::tile;
  constexpr int last = t.steps - 1, low_bits = t.digit[1].bits, row_bits = t.digit[3].bits, high = 1 << t.digit[0].bits;
  constexpr int bits = low_bits + t.digit[0].bits + 1;  // of a row of reals
  static_assert(low_bits + row_bits == t.threads && t.axis_bits[0] == bits && 32 % (2 * high) == 0);
  const int own = thread_address<Shape, last>(work.index);
  const int low = work.index & ((1 << low_bits) - 1), row = work.index >> low_bits;
  const int mirror =
      thread_address<Shape, last>((-low & ((1 << low_bits) - 1)) | (-row & ((1 << row_bits) - 1)) << low_bits);
  static_for<0, TileWork<Shape, V>::points>([&](auto k) {
    shared[element_address<Shape, last, k>(own)] = {work.r[k], work.i[k]};
  });
  __syncthreads();
  const auto w = root<bits>(static_cast<const ComplexOf<V>*>(work.call.roots[0]), low);
  const int m = work.loop[t.low_loop[1]] * row << (t.axis_bits[1] - t.digit[3].low - row_bits);
  const auto row_root = root<t.axis_bits[1]>(static_cast<const ComplexOf<V>*>(work.call.roots[1]), m);
  static_for<0, TileWork<Shape, V>::points>([&](auto k) {
    constexpr int h = k & (high - 1), rest = k - h;
    const int at_zero = element_address<Shape, last, rest | (-h & (high - 1))>(mirror);
    const int elsewhere = element_address<Shape, last, rest | (high - 1 - h)>(mirror);
    const auto other = shared[low == 0 ? at_zero : elsewhere];
    using Real = RealOf<V>;
    const Real half = static_cast<Real>(0.5);
    const V even_r = half * (work.r[k] + other.r), even_i = half * (work.i[k] - other.i);
    V odd_r = half * (work.i[k] + other.i), odd_i = half * (other.r - work.r[k]);
    if (h == 0 && low == 0) {
      V r = even_r - odd_r, i = even_i - odd_i;
      rotate(r, i, row_root);
      constexpr int plane = rest >> t.digit[0].bits;  // the digit that is there, and not transformed
      store_element(middle + plane * work.call.frequency.digit[2], work.call.frequency.pair, false, store_policy(true),
                    r, i);
    }
    rotate_32nds<h * 32 / (2 * high)>(odd_r, odd_i);
    rotate(odd_r, odd_i, w);
    work.r[k] = even_r + odd_r, work.i[k] = even_i + odd_i;
    rotate(work.r[k], work.i[k], row_root);
  });
}

template <class Shape, class V>
__device__ __forceinline__ void store_untangled(TileWork<Shape, V>& work, SharedElement<V>* shared) {
  constexpr Tile t = Shape::tile;
  constexpr int last = t.steps - 1, half = 1 << (t.digit[0].bits + t.digit[1].bits);
  const TileSide& side = work.call.frequency;
  const int row = digit_of<Shape, last, 3>(work.index);
  auto* const out = static_cast<ComplexOf<V>*>(work.call.out) + (row & work.call.row_shift);
  auto* const end = out + work.loop[0] * side.loop[0] + work.loop[1] * side.loop[1] + work.loop[2] * side.loop[2] +
                    row * side.digit[3] + half;
  untangle<Shape>(work, shared, end);
  const uint64_t policy = store_policy(true);
  for_each_element<Shape, last>(work, work.loop, side, out, [&](auto k, ComplexOf<V>* p) {
    store_element(p, side.pair, false, policy, work.r[k], work.i[k]);
  });
}

// The other way round. What belongs to frequencies 0 and n/2 would be real but for rounding and for spectra that are no
// reals'; as everywhere, imaginary parts of it are nothing, in the rows' spectrum what is not its own mirror image.
template <class Shape, class V>
__device__ __forceinline__ void tangle(TileWork<Shape, V>& work, SharedElement<V>* shared) {
  using Real = RealOf<V>;
  constexpr Tile t = Shape::tile;
  constexpr int last = t.steps - 1, low_bits = t.digit[1].bits, row_bits = t.digit[3].bits, high = 1 << t.digit[0].bits;
  constexpr int bits = low_bits + t.digit[0].bits + 1;
  const TileSide& side = work.call.frequency;
  const int low = work.index & ((1 << low_bits) - 1), row = work.index >> low_bits;
  const int mirror_row = -row & ((1 << row_bits) - 1);
  const int own = thread_address<Shape, last>(work.index);
  const int mirror = thread_address<Shape, last>((-low & ((1 << low_bits) - 1)) | mirror_row << low_bits);
  const auto row_root = [&](int of) {
    const int m = work.loop[t.low_loop[1]] * of << (t.axis_bits[1] - t.digit[3].low - row_bits);
    return root<t.axis_bits[1]>(static_cast<const ComplexOf<V>*>(work.call.roots[1]), m);
  };
  const auto own_root = row_root(row);
  static_for<0, TileWork<Shape, V>::points>([&](auto k) {
    rotate(work.r[k], work.i[k], own_root);
    shared[element_address<Shape, last, k>(own)] = {work.r[k], work.i[k]};
  });
  __syncthreads();
  const auto w = root<bits>(static_cast<const ComplexOf<V>*>(work.call.roots[0]), low);
  const auto* rows = static_cast<const ComplexOf<V>*>(work.call.in) + work.loop[0] * side.loop[0] +
                     work.loop[1] * side.loop[1] + work.loop[2] * side.loop[2] + (high << low_bits);
  static_for<0, TileWork<Shape, V>::points>([&](auto k) {
    constexpr int h = k & (high - 1), rest = k - h, plane = rest >> t.digit[0].bits;
    const int at_zero = element_address<Shape, last, rest | (-h & (high - 1))>(mirror);
    const int elsewhere = element_address<Shape, last, rest | (high - 1 - h)>(mirror);
    auto other = shared[low == 0 ? at_zero : elsewhere];
    if (h == 0 && low == 0) {
      const auto middle = [&](int of) {  // what the row has of frequency n/2
        SharedElement<V> e;
        load_element(rows + (of & work.call.row_shift) + of * side.digit[3] + plane * side.digit[2], side.pair, false,
                     e.r, e.i);
        conjugate_if(e.i, work.call.conjugate_in);
        rotate(e.r, e.i, row_root(of));
        return e;
      };
      const auto mine = middle(row), its = middle(mirror_row);
      const Real half = static_cast<Real>(0.5);
      work.r[k] = half * (work.r[k] + other.r), work.i[k] = half * (work.i[k] - other.i);
      other = {half * (its.r + mine.r), half * (its.i - mine.i)};
    }
    V odd_r = work.r[k] - other.r, odd_i = work.i[k] + other.i;
    rotate_32nds<h * 32 / (2 * high)>(odd_r, odd_i);
    rotate(odd_r, odd_i, w);
    work.r[k] = work.r[k] + other.r + odd_i, work.i[k] = work.i[k] - other.i - odd_r;
  });
  __syncthreads();
}

template <class Shape, class V>
__device__ __forceinline__ void load_tangled(TileWork<Shape, V>& work, SharedElement<V>* shared) {
  constexpr int last = Shape::tile.steps - 1;
  const TileSide& side = work.call.frequency;
  const int row = digit_of<Shape, last, 3>(work.index);
  const auto* in = static_cast<const ComplexOf<V>*>(work.call.in) + (row & work.call.row_shift);
  for_each_element<Shape, last>(work, work.loop, side, in, [&](auto k, const ComplexOf<V>* p) {
    load_element(p, side.pair, false, work.r[k], work.i[k]);
    conjugate_if(work.i[k], work.call.conjugate_in);
  });
  if (work.call.prefetch > 0) prefetch_ahead<Shape, last>(work, side);
  tangle<Shape>(work, shared);
}

}  // namespace kallima::cuda
