#include "cuda/model/tiles.hpp"
#include "cuda/whole/tile_launch.cuh"

namespace kallima::cuda {
namespace {

template <class Shape, class V>
int start_split(TileMode mode, const TileCall& call, Stream stream) {
  if (mode == TileMode::halved) return start_kernel<Shape, V, TileMode::halved>(call, stream);
  if (mode == TileMode::from_halved) return start_kernel<Shape, V, TileMode::from_halved>(call, stream);
  return start_kernel<Shape, V, TileMode::forward>(call, stream);
}

}  // namespace

int start_columns256(TileMode mode, TileNumbers numbers, const TileCall& call, Stream stream) {
  if (mode == TileMode::apply) return start_either<Columns256, TileMode::apply>(numbers, call, stream);
  return start_split<Columns256, double>(mode, call, stream);
}

int start_crowded_columns256(TileMode mode, TileNumbers, const TileCall& call, Stream stream) {
  return start_split<CrowdedColumns256, FloatPair>(mode, call, stream);
}

}  // namespace kallima::cuda
