#pragma once
// A plan of passes with its tables of roots, ready to be started, all passes or one by itself.

#include "cuda/model/tile_plan.hpp"

namespace kallima::cuda {

// What a transform works on, in the device's memory; `factor` is for those that have factors in the middle.
struct TileMemory {
  const void* in = nullptr;
  void* out = nullptr;
  const void* factor = nullptr;
  void* workspace = nullptr;
};

class PreparedTiles {
 public:
  PreparedTiles(TilePlan plan, Precision precision);

  std::size_t workspace_bytes() const;
  std::size_t passes() const { return plan_.passes.size(); }
  void start(const TileMemory& memory, Stream stream) const;
  void start_pass(std::size_t pass, const TileMemory& memory, Stream stream) const;

 private:
  TilePlan plan_;
  Precision precision_;
  std::vector<std::shared_ptr<const void>> tables_;
};

// Whether there are passes, and the device has room for the clusters they need.
bool device_runs(const TilePlan& plan, Precision precision);

}  // namespace kallima::cuda
