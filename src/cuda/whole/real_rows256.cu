#include "cuda/model/tiles.hpp"
#include "cuda/whole/tile_launch.cuh"

namespace kallima::cuda {

int start_real_rows256(TileMode mode, TileNumbers numbers, const TileCall& call, Stream stream) {
  return start_rows<RealRows256>(mode, numbers, call, stream);
}

}  // namespace kallima::cuda
