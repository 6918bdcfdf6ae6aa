#include "cuda/model/tiles.hpp"
#include "cuda/whole/tile_launch.cuh"

namespace kallima::cuda {

int start_real_rows256(TileMode, Precision precision, const TileCall& call, Stream stream) {
  return start_either<RealRows256, TileMode::forward>(precision, call, stream);
}

}  // namespace kallima::cuda
