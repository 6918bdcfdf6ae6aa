#include "cuda/model/tiles.hpp"
#include "cuda/whole/tile_launch.cuh"

namespace kallima::cuda {

int start_rows256(TileMode mode, Precision precision, const TileCall& call, Stream stream) {
  return start_rows<Rows256>(mode, precision, call, stream);
}

}  // namespace kallima::cuda
