#include "cuda/whole/measured_way.hpp"

#include <algorithm>
#include <array>

#include "cuda/cuda_check.cuh"
#include "cuda/whole/cufft_transform.hpp"
#include "cuda/whole/pointwise.hpp"

namespace kallima::cuda {
namespace {

class EventPair {
 public:
  EventPair() {
    for (auto& event : events_) check(cudaEventCreate(&event), "making an event");
  }
  EventPair(const EventPair&) = delete;
  EventPair& operator=(const EventPair&) = delete;
  ~EventPair() {
    for (auto& event : events_) cudaEventDestroy(event);
  }

  double milliseconds(const std::function<void()>& start, int repeats) {
    check(cudaEventRecord(events_[0]), "recording an event");
    for (int i = 0; i < repeats; ++i) start();
    check(cudaEventRecord(events_[1]), "recording an event");
    check(cudaEventSynchronize(events_[1]), "waiting for an event");
    float elapsed = 0;
    check(cudaEventElapsedTime(&elapsed, events_[0], events_[1]), "reading an event");
    return static_cast<double>(elapsed) / repeats;
  }

 private:
  std::array<cudaEvent_t, 2> events_{};
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace

std::shared_ptr<void> scratch_memory(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, std::max<std::size_t>(bytes, 1)), "allocating memory for a measurement");
  return {memory, [](void* p) { cudaFree(p); }};
}

std::shared_ptr<void> scratch_noise(std::size_t bytes, Precision precision, unsigned seed) {
  auto memory = scratch_memory(bytes);
  start_noise(memory.get(), static_cast<Index>(bytes / (precision == Precision::double_ ? 8 : 4)), seed, precision,
              nullptr);
  return memory;
}

// Of a spectrum that is to become reals, the spectrum of some.
std::shared_ptr<void> scratch_input(const WholeProblem& problem, unsigned seed) {
  if (problem.kind != TransformKind::c2r) return scratch_noise(input_bytes(problem), problem.precision, seed);
  WholeProblem there = problem;
  there.kind = TransformKind::r2c;
  there.sign = -1;
  there.scale = 1;
  const auto way = make_cufft_transform(there);
  const auto reals = scratch_noise(input_bytes(there), problem.precision, seed);
  const auto workspace = scratch_memory(way->workspace_bytes());
  auto spectrum = scratch_memory(input_bytes(problem));
  way->start(reals.get(), spectrum.get(), workspace.get(), nullptr);
  check(cudaStreamSynchronize(nullptr), "making a spectrum");
  return spectrum;
}

std::vector<double> timed_in_turns(const std::vector<std::function<void()>>& starts, int rounds, double round_ms) {
  EventPair events;
  std::vector<int> repeats;
  for (const auto& start : starts) {
    start();  // modules are loaded and tables brought in
    repeats.push_back(std::clamp(static_cast<int>(round_ms / std::max(events.milliseconds(start, 2), 1e-4)), 1, 1000));
  }
  std::vector<std::vector<double>> times(starts.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < starts.size(); ++i) times[i].push_back(events.milliseconds(starts[i], repeats[i]));
  std::vector<double> medians;
  for (auto& list : times) medians.push_back(median(std::move(list)));
  return medians;
}

}  // namespace kallima::cuda
