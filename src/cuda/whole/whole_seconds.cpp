#include "cuda/whole/whole_seconds.hpp"

#include <numeric>

#include "base/check.hpp"
#include "cuda/recordings.hpp"
#include "cuda/whole/cufft_transform.hpp"
#include "cuda/whole/measured_way.hpp"
#include "cuda/whole/pointwise.hpp"
#include "cuda/whole/prepared_tiles.hpp"

namespace kallima::cuda {
namespace {

constexpr int rounds = 5;
constexpr double round_ms = 8;

double pass_seconds(const TilePlan& plan, const WholeProblem& problem, bool factors) {
  const PreparedTiles tiles(plan, problem.precision);
  const auto in = scratch_noise(input_bytes(problem), problem.precision, 1);
  const auto out = scratch_noise(std::max(input_bytes(problem), output_bytes(problem)), problem.precision, 2);
  const auto workspace = scratch_noise(tiles.workspace_bytes(), problem.precision, 3);
  const auto factor = factors ? scratch_noise(output_bytes(problem), problem.precision, 4) : nullptr;
  const TileMemory memory{in.get(), out.get(), factor.get(), workspace.get()};
  std::vector<std::function<void()>> passes;
  for (std::size_t pass = 0; pass < tiles.passes(); ++pass)
    passes.push_back([&, pass] { tiles.start_pass(pass, memory, nullptr); });
  const auto times = timed_in_turns(passes, rounds, round_ms);
  return 1e-3 * std::accumulate(times.begin(), times.end(), 0.0);
}

// Recorded, as what is transformed again is.
double cufft_seconds(const WholeProblem& problem) {
  const auto way = make_cufft_transform(problem);
  const auto in = scratch_noise(input_bytes(problem), problem.precision, 1);
  const auto out = scratch_memory(output_bytes(problem)), workspace = scratch_memory(way->workspace_bytes());
  Recordings recordings;
  const auto start = [&] {
    recordings.start({in.get(), out.get(), workspace.get()}, nullptr,
                     [&](cudaStream_t stream) { way->start(in.get(), out.get(), workspace.get(), stream); });
  };
  return 1e-3 * timed_in_turns({start}, rounds, round_ms)[0];
}

// From half as many lines or planes, where these can be halved. Starting kernels takes some time however little they
// have to do: where that matters, a quarter tells how much of it there is.
double half_seconds(WholeProblem problem) {
  constexpr double brief = 1e-4;
  Index& most = problem.batch > 1 ? problem.batch : problem.shape[0];
  if (most % 2 != 0) return cufft_seconds(problem);
  most /= 2;
  const double half = cufft_seconds(problem);
  if (half > brief || most % 2 != 0) return 2 * half;
  most /= 2;
  return half + 2 * (half - cufft_seconds(problem));
}

}  // namespace

double whole_seconds(const WholeProblem& problem) {
  const TilePlan plan = plan_tiles(problem);
  return device_runs(plan, problem.precision) ? pass_seconds(plan, problem, false) : half_seconds(problem);
}

double apply_seconds(const WholeProblem& forward, FactorKind factor) {
  const TilePlan plan = plan_tiles_of_apply(forward, factor);
  if (device_runs(plan, forward.precision)) return pass_seconds(plan, forward, true);
  const auto spectrum = scratch_noise(output_bytes(forward), forward.precision, 1);
  const auto factors = scratch_noise(output_bytes(forward), forward.precision, 2);
  const auto count = static_cast<Index>(output_bytes(forward) / (forward.precision == Precision::double_ ? 16 : 8));
  const auto multiply = [&] {
    start_multiply(spectrum.get(), factors.get(), count, count, factor, 1, forward.precision, nullptr);
  };
  return 2 * whole_seconds(forward) + 1e-3 * timed_in_turns({multiply}, rounds, round_ms)[0];
}

}  // namespace kallima::cuda
