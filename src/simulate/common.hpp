#pragma once
// What the two ways to simulate, by messages and by supersteps, have in common: which ranks, and what work costs.

#include <algorithm>

#include "kallima/simulate.hpp"

namespace kallima {

// simulate() has decided how many ranks are to be simulated, all or one, and adds what follows from the outline alone.
inline std::size_t simulated_ranks(const Outline& outline, const SimulateOptions& options) {
  return options.pricing == Pricing::one_rank ? 1 : at(outline.ranks);
}
Simulation simulate_network(const Outline& outline, const Machine& machine, const SimulateOptions& options);
Simulation simulate_flows(const Outline& outline, const Machine& machine, const SimulateOptions& options);
Simulation simulate_supersteps(const Outline& outline, const Bsp& machine, const SimulateOptions& options);

// As much as the longer of its arithmetic and its way through memory (see machine.hpp).
class WorkCost {
 public:
  WorkCost(const Outline& outline, const Machine& machine) : flop_rate_(flop_rate(machine)) {
    if (memory_rate(machine) > 0)
      flops_per_word_ = static_cast<double>(outline.word_bytes) * flop_rate_ / memory_rate(machine);
  }

  // In operations, those that could have been done instead.
  double flops(const OutlineTask& task) const {
    return std::max(task.flops, static_cast<double>(task.words) * flops_per_word_);
  }
  double time(const OutlineTask& task) const { return flops(task) / flop_rate_; }

 private:
  double flop_rate_;
  double flops_per_word_ = 0;
};

}  // namespace kallima
