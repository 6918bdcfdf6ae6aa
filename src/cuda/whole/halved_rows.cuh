#pragma once
// Rows of n/2+1 elements begin anywhere in a line of memory. Tiles of columns read and write whole lines of them all
// the same: rows are shifted by their number, and a tile's first and last columns may lie outside of a row.

#include "cuda/whole/tile_work.cuh"

namespace kallima::cuda {

// Which of an element's numbers a row of n/2+1 has, in a tile of shifted rows.
struct PartOfRow {
  int shift;
  bool first, second;
};

template <class Shape, int step, class V>
__device__ __forceinline__ PartOfRow part_of_row(const TileWork<Shape, V>& work) {
  constexpr int lanes = LaneTraits<V>::count, width = lanes << Shape::tile.digit[0].bits;
  const int shift = work.loop[1] & work.call.row_shift, length = work.call.row_length;
  const int x = work.loop[0] * width + digit_of<Shape, step, 0>(work.index) * lanes - shift;
  return {shift, x >= 0 && x < length, lanes == 2 && x + 1 >= 0 && x + 1 < length};
}

__device__ __forceinline__ void store_part(double2* p, PartOfRow, long long, uint64_t policy, double r, double i) {
  store_element(p, 0, true, policy, r, i);
}
__device__ __forceinline__ void store_part(float2* p, PartOfRow part, long long pair, uint64_t policy, FloatPair r,
                                           FloatPair i) {
  if (part.first && part.second) return store_element(p, pair, true, policy, r, i);
  *(part.first ? p : p + 1) = part.first ? float2{r.a, i.a} : float2{r.b, i.b};
}

__device__ __forceinline__ void load_part(const double2* p, PartOfRow, long long, double& r, double& i) {
  load_element(p, 0, true, r, i);
}
__device__ __forceinline__ void load_part(const float2* p, PartOfRow part, long long pair, FloatPair& r, FloatPair& i) {
  if (part.first && part.second) return load_element(p, pair, true, r, i);
  const float2 only = part.first ? *p : p[1];
  r = {part.first ? only.x : 0.0F, part.first ? 0.0F : only.x};
  i = {part.first ? only.y : 0.0F, part.first ? 0.0F : only.y};
}

// Into shifted rows of n/2+1 elements, what there is of them.
template <class Shape, int step, class V>
__device__ __forceinline__ void store_halved(TileWork<Shape, V>& work, const TileSide& side) {
  const auto& call = work.call;
  const PartOfRow part = part_of_row<Shape, step>(work);
  if (!part.first && !part.second) return;
  const auto scale = static_cast<RealOf<V>>(call.scale);
  const uint64_t policy = store_policy(false);
  for_each_element<Shape, step>(
      work, work.loop, side, static_cast<ComplexOf<V>*>(call.out) - part.shift,
      [&](auto k, ComplexOf<V>* p) { store_part(p, part, side.pair, policy, scale * work.r[k], scale * work.i[k]); });
}

// From such rows; what there is not is 0.
template <class Shape, int step, class V>
__device__ __forceinline__ void load_halved(TileWork<Shape, V>& work, const TileSide& side) {
  const auto& call = work.call;
  const PartOfRow part = part_of_row<Shape, step>(work);
  static_for<0, TileWork<Shape, V>::points>([&](auto k) { work.r[k] = V{}, work.i[k] = V{}; });
  if (!part.first && !part.second) return;
  for_each_element<Shape, step>(work, work.loop, side, static_cast<const ComplexOf<V>*>(call.in) - part.shift,
                                [&](auto k, const ComplexOf<V>* p) {
                                  load_part(p, part, side.pair, work.r[k], work.i[k]);
                                  conjugate_if(work.i[k], call.conjugate_in);
                                });
}

}  // namespace kallima::cuda
