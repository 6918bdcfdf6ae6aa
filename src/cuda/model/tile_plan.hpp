#pragma once
// Which passes a transform of an array that is whole on one device takes, as values: pure, so that what kernels will do
// can be tested where there is no device.

#include <vector>

#include "cuda/model/tile_call.hpp"
#include "cuda/whole/whole_transform.hpp"

namespace kallima::cuda {

enum class TileId {
  rows256,
  columns256,
  crowded_columns256,
  rows512,
  wide_rows512,
  columns512,
  real_rows256,
  rows1024,
  middle1024,
  columns1024,
  high_half24,
  low_half24,
  rows8192,
  columns8192,
  lines256,
};
inline constexpr int tile_ids = 15;

const Tile& tile_of(TileId id);

enum class PassBuffer { in, out, workspace };

// A pass over memory. Pointers in `call` are filled in when it is started.
struct TilePass {
  TileId id;
  TileMode mode = TileMode::forward;
  PassBuffer from = PassBuffer::in, to = PassBuffer::out;
  double rounds_ahead =
      0;  // that lines are brought into the second cache; a round is what the device works on at a time
  TileCall call;
};

struct TilePlan {
  std::vector<TilePass> passes;
  Index workspace = 0;  // complex numbers
};

// No passes: there are no kernels for this.
TilePlan plan_tiles(const WholeProblem& problem);
TilePlan plan_tiles_of_apply(const WholeProblem& forward, FactorKind factor);

// Tables of roots of unity: the k-th number of the one for 2^bits points is exp(-2 pi i e / 2^bits), e being the k-th
// of these. Up to 2^12 all are there; of longer ones the first 2^12, and every 2^12-th.
std::vector<Index> root_exponents(int bits);
inline constexpr int short_root_bits = 12;

}  // namespace kallima::cuda
