#include "cuda/model/tiles.hpp"
#include "cuda/whole/tile_launch.cuh"

namespace kallima::cuda {

int start_columns256(TileMode mode, TileNumbers numbers, const TileCall& call, Stream stream) {
  if (mode == TileMode::halved) return start_either<Columns256, TileMode::halved>(numbers, call, stream);
  return start_columns<Columns256>(mode, numbers, call, stream);
}

}  // namespace kallima::cuda
