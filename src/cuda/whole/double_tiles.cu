// Tiles that only go forward and are of doubles.

#include "cuda/model/tiles.hpp"
#include "cuda/whole/tile_launch.cuh"

namespace kallima::cuda {

int start_rows1024(TileMode, TileNumbers, const TileCall& call, Stream stream) {
  return start_kernel<Rows1024, double, TileMode::forward>(call, stream);
}

int start_middle1024(TileMode, TileNumbers, const TileCall& call, Stream stream) {
  return start_kernel<Middle1024, double, TileMode::forward>(call, stream);
}

int start_columns1024(TileMode, TileNumbers, const TileCall& call, Stream stream) {
  return start_kernel<Columns1024, double, TileMode::forward>(call, stream);
}

int start_high_half24(TileMode, TileNumbers, const TileCall& call, Stream stream) {
  return start_kernel<HighHalf24, double, TileMode::forward>(call, stream);
}

int start_low_half24(TileMode, TileNumbers, const TileCall& call, Stream stream) {
  return start_kernel<LowHalf24, double, TileMode::forward>(call, stream);
}

int start_rows8192(TileMode, TileNumbers, const TileCall& call, Stream stream) {
  return start_kernel<Rows8192, double, TileMode::forward>(call, stream);
}

int start_columns8192(TileMode, TileNumbers, const TileCall& call, Stream stream) {
  return start_kernel<Columns8192, double, TileMode::forward>(call, stream);
}

}  // namespace kallima::cuda
