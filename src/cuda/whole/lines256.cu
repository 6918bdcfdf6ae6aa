#include "cuda/model/tiles.hpp"
#include "cuda/whole/tile_launch.cuh"

namespace kallima::cuda {

int start_lines256(TileMode, TileNumbers numbers, const TileCall& call, Stream stream) {
  return start_either<Lines256, TileMode::forward>(numbers, call, stream);
}

}  // namespace kallima::cuda
