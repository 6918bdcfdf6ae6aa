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
  const bool plain = options.latency == Latency::full && options.capacity == Capacity::unlimited;
  require(
      options.sharing != Sharing::flows ||
          (std::holds_alternative<Loggp>(machine.model) && plain && options.pricing != Pricing::one_rank),
      "flows share links between all ranks of a loggp machine, with full latency and unlimited capacity, not those of "
      "{}: price by rounds",
      text(machine));
  require(options.latency == Latency::full || !std::holds_alternative<Bsp>(machine.model),
          "the machine {} has no latency to vary: use logp or loggp", text(machine));
}

constexpr Index most_flows =
    200'000;  // messages: beyond that rounds are counted, which takes a second where flows take a minute

bool shares_by_flows(const Outline& outline, const Machine& machine, const SimulateOptions& asked) {
  if (asked.sharing == Sharing::flows) return true;
  if (!machine.shares_links() || asked.sharing == Sharing::rounds) return false;
  if (asked.latency != Latency::full || asked.capacity != Capacity::unlimited) return false;
  if (asked.pricing == Pricing::one_rank) return false;
  if (asked.pricing == Pricing::automatic && outline.symmetric() && outline.ranks > 1 && !asked.trace) return false;
  Index messages = 0;
  for (int rank = 0; rank < outline.ranks; ++rank)
    messages += std::ranges::count(outline.script(rank).tasks(), TaskKind::send_start, &OutlineTask::kind);
  return messages <= most_flows;
}

}  // namespace

Simulation simulate(const Outline& outline, const Machine& machine, const SimulateOptions& asked) {
  check(outline, machine, asked);
  const bool flows = shares_by_flows(outline, machine, asked);
  const bool may_be_one = asked.sharing != Sharing::flows && outline.symmetric() && outline.ranks > 1 && !asked.trace &&
                          asked.latency == Latency::full && asked.capacity == Capacity::unlimited;
  SimulateOptions options = asked;
  if (asked.pricing == Pricing::automatic) options.pricing = may_be_one ? Pricing::one_rank : Pricing::all_ranks;
  const auto* const bsp = std::get_if<Bsp>(&machine.model);
  Simulation result = bsp != nullptr ? simulate_supersteps(outline, *bsp, options)
                      : flows        ? simulate_flows(outline, machine, options)
                                     : simulate_network(outline, machine, options);
  if (flows || machine.shares_links()) result.sharing = flows ? Sharing::flows : Sharing::rounds;
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
