#include "cuda/whole/tile_transform.hpp"

#include "base/check.hpp"
#include "cuda/whole/prepared_tiles.hpp"

namespace kallima::cuda {
namespace {

class TileTransform final : public WholeTransform {
 public:
  explicit TileTransform(const WholeProblem& problem)
      : problem_(problem), tiles_(plan_tiles(problem), problem.precision) {}
  std::size_t workspace_bytes() const override { return tiles_.workspace_bytes(); }
  std::string name() const override {
    return fmt::format("{} {}", tiles_.passes(), tiles_.passes() == 1 ? "pass" : "passes");
  }
  void start(const void* in, void* out, void* workspace, Stream stream) const override {
    require(in != out || problem_.in_place, "this transform was not made for one array in and out");
    tiles_.start({in, out, nullptr, workspace}, stream);
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
    tiles_.start({in, out, factor, workspace}, stream);
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
