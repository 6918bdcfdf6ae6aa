#pragma once
// How fast the simulator is, and how much memory it takes.

#include <functional>
#include <string>
#include <vector>

#include "kallima/types.hpp"

namespace kallima::cli {

struct SimulatorSpec {
  Index n = Index{1} << 20;
  int p = 1024;
  int reps = 3;
};

struct SimulatorResult {
  std::string what;
  Index tasks = 0;
  double plan_s = 0;    // writing the outline down
  double median_s = 0;  // simulating it
  double completion = 0;
  Index peak_bytes = 0;  // of the process, so far
  double tasks_per_second() const { return static_cast<double>(tasks) / median_s; }
};

// Node grain: the output-driven schedule with all processors simulated, on machines that ask more and more of the
// simulator; then one processor for all.
std::vector<SimulatorResult> measure_simulator(const SimulatorSpec& spec,
                                               const std::function<void(const std::string&)>& progress);

}  // namespace kallima::cli
