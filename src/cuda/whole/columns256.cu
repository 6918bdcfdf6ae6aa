#include "cuda/model/tiles.hpp"
#include "cuda/whole/tile_launch.cuh"

namespace kallima::cuda {

int start_columns256(TileMode mode, Precision precision, const TileCall& call, Stream stream) {
  if (mode == TileMode::halved) return start_either<Columns256, TileMode::halved>(precision, call, stream);
  return start_columns<Columns256>(mode, precision, call, stream);
}

}  // namespace kallima::cuda
