#include "cuda/whole/tile_transform.hpp"

#include <array>

#include "cuda/cuda_check.cuh"
#include "cuda/model/tile_plan.hpp"
#include "cuda/whole/root_table.hpp"
#include "cuda/whole/tile_start.hpp"

namespace kallima::cuda {
namespace {

constexpr std::array<StartTile*, tile_ids> starts = {
    start_rows256,      start_columns256, start_rows512,    start_wide_rows512, start_columns512,
    start_real_rows256, start_rows1024,   start_middle1024, start_columns1024,  start_high_half24,
    start_low_half24,   start_rows8192,   start_columns8192};

TileNumbers numbers_of(Precision precision) {
  return precision == Precision::double_ ? TileNumbers::doubles : TileNumbers::floats;
}

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

// As many tiles as are worked on at a time.
int tiles_at_a_time(const Tile& tile) {
  int device = 0, processors = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "counting processors");
  return (processors * tile.blocks_per_sm) >> tile.ranks;
}

// A plan with its tables, ready to be started.
class PreparedTiles {
 public:
  PreparedTiles(TilePlan plan, Precision precision) : plan_(std::move(plan)), precision_(precision) {
    for (auto& pass : plan_.passes) {
      const Tile& tile = tile_of(pass.id);
      if (pass.prefetches) pass.call.prefetch = tiles_at_a_time(tile);
      for (std::size_t axis = 0; axis < most_axes; ++axis) {
        if (tile.axis_bits[axis] == 0) continue;
        tables_.push_back(root_table(tile.axis_bits[axis], precision));
        pass.call.roots[axis] = tables_.back().get();
      }
    }
  }

  std::size_t workspace_bytes() const { return at(plan_.workspace) * (precision_ == Precision::double_ ? 16 : 8); }
  std::size_t passes() const { return plan_.passes.size(); }

  void start(const void* in, void* out, const void* factor, void* workspace, Stream stream) const {
    for (const auto& pass : plan_.passes) {
      auto call = pass.call;
      const auto buffer = [&](PassBuffer b) { return b == PassBuffer::workspace ? workspace : out; };
      call.in = pass.from == PassBuffer::in ? in : buffer(pass.from);
      call.out = buffer(pass.to);
      call.factor = factor;
      if (precision_ == Precision::single_ && tile_of(pass.id).pairs_are_neighbours) load_pairs_where_aligned(call);
      const auto result =
          static_cast<cudaError_t>(starts[at(pass.id)](pass.mode, numbers_of(precision_), call, stream));
      check(result, "starting a pass over memory");
    }
  }

 private:
  // Two complex floats are one access of 16 bytes at multiples of 16 only.
  static void load_pairs_where_aligned(TileCall& call) {
    const auto apart = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0 ? 0 : 1; };
    call.time.pair = apart(call.in);
    call.frequency.pair = apart(call.out);
    call.factors.pair = apart(call.factor);
  }

  TilePlan plan_;
  Precision precision_;
  std::vector<std::shared_ptr<const void>> tables_;
};

class TileTransform final : public WholeTransform {
 public:
  explicit TileTransform(const WholeProblem& problem)
      : problem_(problem), tiles_(plan_tiles(problem), problem.precision) {}
  std::size_t workspace_bytes() const override { return tiles_.workspace_bytes(); }
  std::string name() const override { return fmt::format("{} passes", tiles_.passes()); }
  void start(const void* in, void* out, void* workspace, Stream stream) const override {
    require(in != out || problem_.in_place, "this transform was not made for one array in and out");
    tiles_.start(in, out, nullptr, workspace, stream);
  }

 private:
  WholeProblem problem_;
  PreparedTiles tiles_;
};

class TileApply final : public WholeApply {
 public:
  TileApply(const WholeProblem& forward, FactorKind factor)
      : problem_(forward), tiles_(plan_tiles_of_apply(forward, factor), forward.precision) {}
  std::size_t workspace_bytes() const override { return tiles_.workspace_bytes(); }
  std::string name() const override { return fmt::format("{} passes, factors in the middle", tiles_.passes()); }
  void start(const void* in, void* out, const void* factor, void* workspace, Stream stream) const override {
    tiles_.start(in, out, factor, workspace, stream);
  }

 private:
  WholeProblem problem_;
  PreparedTiles tiles_;
};

}  // namespace

std::unique_ptr<WholeTransform> make_tile_transform(const WholeProblem& problem) {
  if (!device_runs(plan_tiles(problem), problem.precision)) return nullptr;
  return std::make_unique<TileTransform>(problem);
}

std::unique_ptr<WholeApply> make_tile_apply(const WholeProblem& forward, FactorKind factor) {
  if (!device_runs(plan_tiles_of_apply(forward, factor), forward.precision)) return nullptr;
  return std::make_unique<TileApply>(forward, factor);
}

}  // namespace kallima::cuda
