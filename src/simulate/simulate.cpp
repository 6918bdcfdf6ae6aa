#include "kallima/simulate.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "simulate/common.hpp"

namespace kallima {
namespace {

void check(const Outline& outline, const Machine& machine, const SimulateOptions& options) {
  const int has = processors(machine);
  const int needed = outline.ranks + outline.idle;
  require(has == 0 || has >= needed, "the schedule {} needs {} processors but the machine {} has P={}", outline.name,
          needed, text(machine), has);
  require(options.pricing != Pricing::one_rank || outline.symmetric(),
          "one rank cannot stand for all in the schedule {} (its {} ranks do different things): price all ranks",
          outline.name, outline.ranks);
  require(
      options.pricing != Pricing::one_rank ||
          (options.latency == Latency::full && options.capacity == Capacity::unlimited),
      "one rank cannot stand for all with random latencies or limited capacity (ranks then differ): price all ranks");
  require(options.capacity == Capacity::unlimited || capacity(machine) > 0,
          "the machine {} has no capacity to limit (it follows from L and g, with g > 0): use logp or loggp",
          text(machine));
  require(!machine.shares_links(), "the machine {} has nodes or a network, which are not simulated: leave them out",
          text(machine));
  require(options.latency == Latency::full || !std::holds_alternative<Bsp>(machine.model),
          "the machine {} has no latency to vary: use logp or loggp", text(machine));
}

}  // namespace

Simulation simulate(const Outline& outline, const Machine& machine, const SimulateOptions& asked) {
  check(outline, machine, asked);
  const bool may_be_one = outline.symmetric() && outline.ranks > 1 && !asked.trace && asked.latency == Latency::full &&
                          asked.capacity == Capacity::unlimited;
  SimulateOptions options = asked;
  if (asked.pricing == Pricing::automatic) options.pricing = may_be_one ? Pricing::one_rank : Pricing::all_ranks;
  const auto* const bsp = std::get_if<Bsp>(&machine.model);
  Simulation result =
      bsp != nullptr ? simulate_supersteps(outline, *bsp, options) : simulate_network(outline, machine, options);
  const bool one_rank = options.pricing == Pricing::one_rank;
  result.messages *= one_rank ? outline.ranks : 1;
  result.words *= one_rank ? outline.ranks : 1;
  result.simulated_ranks = one_rank ? 1 : outline.ranks + outline.idle;
  result.tasks = outline.task_count() / (one_rank ? outline.ranks : 1);
  require(std::isfinite(result.completion), "the times of machine {} are too large to add up: use another unit",
          text(machine));
  result.unit = time_unit(machine);
  if (bsp != nullptr && outline.idle > 0) result.idle_max = result.completion;  // others wait for every superstep
  result.trace.ranks = outline.ranks + outline.idle;
  result.trace.unit = result.unit;
  result.trace.title = outline.name;
  std::ranges::stable_sort(result.trace.events, [](const Event& a, const Event& b) { return a.begin < b.begin; });
  return result;
}

}  // namespace kallima
