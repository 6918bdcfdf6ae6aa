#include "cuda/model/tiles.hpp"
#include "cuda/whole/tile_launch.cuh"

namespace kallima::cuda {

int start_rows512(TileMode mode, TileNumbers, const TileCall& call, Stream stream) {
  return start_rows_of<Rows512, FloatPair>(mode, call, stream);
}

int start_wide_rows512(TileMode mode, TileNumbers, const TileCall& call, Stream stream) {
  return start_rows_of<WideRows512, double>(mode, call, stream);
}

}  // namespace kallima::cuda
