// The total cost of Bisseling's parallel FFT on a BSP machine, by formula and by simulation of the schedule.

#include "base/check.hpp"
#include "kallima/simulate.hpp"
#include "lab/theory/bsp.hpp"

namespace kallima::theory {

std::vector<Comparison> bsp_times(const Bsp& machine, const std::vector<TransformSize>& sizes) {
  std::vector<Comparison> rows;
  for (const TransformSize& size : sizes) {
    const BspCost printed = printed_cost(size.n, size.p, machine);
    const BspCost corrected = corrected_cost(size.n, size.p, machine);
    const Simulation run = simulate(group_cyclic_schedule(size), machine);
    rows.push_back({.subject = "BSP FFT, time",
                    .parameters = fmt::format("{}, n={}, p={}", text(Machine(machine)), size.n, size.p),
                    .printed = printed.total() / machine.r,
                    .corrected = corrected.total() / machine.r,
                    .simulated = run.completion,
                    .note = "printed as an upper bound"});
  }
  return rows;
}

}  // namespace kallima::theory
