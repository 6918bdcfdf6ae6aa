#include "bench/simulator.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>

#include "kallima/butterfly.hpp"
#include "kallima/simulate.hpp"

namespace kallima::cli {
namespace {

struct Trial {
  const char* what;
  PhaseTwo phase_two;
  Logp machine;
  SimulateOptions options;
};

constexpr Trial trials[] = {
    {"phase II waiting, L=5 g=5", PhaseTwo::waiting, {5, 0, 5}, {.pricing = Pricing::all_ranks}},
    {"phase II input-driven, L=5 g=5", PhaseTwo::input_driven, {5, 0, 5}, {.pricing = Pricing::all_ranks}},
    {"with overhead, L=5 o=1 g=5", PhaseTwo::waiting, {5, 1, 5}, {.pricing = Pricing::all_ranks}},
    {"without latency, L=0 g=5", PhaseTwo::waiting, {0, 0, 5}, {.pricing = Pricing::all_ranks}},
    {"random latencies, L=50 g=5",
     PhaseTwo::waiting,
     {50, 0, 5},
     {.latency = Latency::random, .seed = 1, .pricing = Pricing::all_ranks}},
    {"limited capacity, L=5 g=5",
     PhaseTwo::waiting,
     {5, 0, 5},
     {.capacity = Capacity::limited, .pricing = Pricing::all_ranks}},
    {"one processor for all, L=5 g=5", PhaseTwo::waiting, {5, 0, 5}, {.pricing = Pricing::one_rank}},
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Index peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<Index>(usage.ru_maxrss) * 1024;
}

SimulatorResult measure(const SimulatorSpec& spec, const Trial& trial) {
  SimulatorResult result{.what = trial.what};
  const auto start = std::chrono::steady_clock::now();
  const Outline outline = butterfly_outline({spec.n, spec.p, NodeSchedule::output_driven, trial.phase_two});
  result.plan_s = seconds_since(start);
  std::vector<double> times;
  for (int rep = 0; rep < spec.reps; ++rep) {
    const auto begin = std::chrono::steady_clock::now();
    const Simulation run = simulate(outline, trial.machine, trial.options);
    times.push_back(seconds_since(begin));
    result.tasks = run.tasks;
    result.completion = run.completion;
  }
  std::sort(times.begin(), times.end());
  result.median_s = times[times.size() / 2];
  result.peak_bytes = peak_bytes();
  return result;
}

}  // namespace

std::vector<SimulatorResult> measure_simulator(const SimulatorSpec& spec,
                                               const std::function<void(const std::string&)>& progress) {
  std::vector<SimulatorResult> results;
  for (const Trial& trial : trials) {
    progress(trial.what);
    results.push_back(measure(spec, trial));
  }
  return results;
}

}  // namespace kallima::cli
