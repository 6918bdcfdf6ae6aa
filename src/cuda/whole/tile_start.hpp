#pragma once
// The door to the kernels: one function for each Tile. They return what cudaLaunchKernel does, as a number. A call for
// no tiles starts nothing and says whether the device has room for a cluster of these blocks. Kernels include no more
// than they need, since compiling them is what takes time.

#include "cuda/model/stream.hpp"
#include "cuda/model/tile_call.hpp"

namespace kallima::cuda {

using StartTile = int(TileMode mode, TileNumbers numbers, const TileCall& call, Stream stream);

StartTile start_rows256, start_columns256, start_crowded_columns256, start_rows512, start_wide_rows512,
    start_columns512, start_real_rows256, start_rows1024, start_middle1024, start_columns1024, start_high_half24,
    start_low_half24, start_rows8192, start_columns8192, start_lines256;

}  // namespace kallima::cuda
