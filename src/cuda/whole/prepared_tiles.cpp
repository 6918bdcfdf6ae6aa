#include "cuda/whole/prepared_tiles.hpp"

#include <array>

#include "cuda/cuda_check.cuh"
#include "cuda/whole/root_table.hpp"
#include "cuda/whole/tile_start.hpp"

namespace kallima::cuda {
namespace {

constexpr std::array<StartTile*, tile_ids> starts = {
    start_rows256,     start_columns256,   start_crowded_columns256, start_rows512,     start_wide_rows512,
    start_columns512,  start_real_rows256, start_rows1024,           start_middle1024,  start_columns1024,
    start_high_half24, start_low_half24,   start_rows8192,           start_columns8192, start_lines256};

TileNumbers numbers_of(Precision precision) {
  return precision == Precision::double_ ? TileNumbers::doubles : TileNumbers::floats;
}

// As many tiles as are worked on at a time.
int tiles_at_a_time(const Tile& tile) {
  int device = 0, processors = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "counting processors");
  return (processors * tile.blocks_per_sm) >> tile.ranks;
}

// Two complex floats are one access of 16 bytes at multiples of 16 only.
void load_pairs_where_aligned(TileCall& call, TileMode mode) {
  const auto apart = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0 ? 0 : 1; };
  const bool back = mode == TileMode::mirrored || mode == TileMode::from_halved;
  call.time.pair = apart(back ? call.out : call.in);
  call.frequency.pair = apart(back ? call.in : call.out);
  call.factors.pair = apart(call.factor);
}

}  // namespace

// Clusters came with compute capability 9; not every device has room for ours.
bool device_runs(const TilePlan& plan, Precision precision) {
  int device = 0, major = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "asking what the device can do");
  if (plan.passes.empty() || major < 9) return false;
  for (const auto& pass : plan.passes) {
    auto nothing = pass.call;
    nothing.tiles[0] = 0;
    if (starts[at(pass.id)](pass.mode, numbers_of(precision), nothing, nullptr) != cudaSuccess) return false;
  }
  return true;
}

PreparedTiles::PreparedTiles(TilePlan plan, Precision precision) : plan_(std::move(plan)), precision_(precision) {
  for (auto& pass : plan_.passes) {
    const Tile& tile = tile_of(pass.id);
    pass.call.prefetch = static_cast<int>(pass.rounds_ahead * tiles_at_a_time(tile));
    for (std::size_t axis = 0; axis < most_axes; ++axis) {
      if (tile.axis_bits[axis] == 0) continue;
      tables_.push_back(root_table(tile.axis_bits[axis], precision));
      pass.call.roots[axis] = tables_.back().get();
    }
  }
}

std::size_t PreparedTiles::workspace_bytes() const {
  return at(plan_.workspace) * (precision_ == Precision::double_ ? 16 : 8);
}

void PreparedTiles::start(const TileMemory& memory, Stream stream) const {
  for (std::size_t pass = 0; pass < passes(); ++pass) start_pass(pass, memory, stream);
}

void PreparedTiles::start_pass(std::size_t number, const TileMemory& memory, Stream stream) const {
  const TilePass& pass = plan_.passes[number];
  auto call = pass.call;
  const auto buffer = [&](PassBuffer b) { return b == PassBuffer::workspace ? memory.workspace : memory.out; };
  call.in = pass.from == PassBuffer::in ? memory.in : buffer(pass.from);
  call.out = buffer(pass.to);
  call.factor = memory.factor;
  if (precision_ == Precision::single_ && tile_of(pass.id).pairs_are_neighbours)
    load_pairs_where_aligned(call, pass.mode);
  const auto result = static_cast<cudaError_t>(starts[at(pass.id)](pass.mode, numbers_of(precision_), call, stream));
  check(result, "starting a pass over memory");
}

}  // namespace kallima::cuda
