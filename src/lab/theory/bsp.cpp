// The formulas of Bisseling's section 3.4 in a table, with what is counted from our own schedules of his algorithm.
// T_comm as printed is an upper bound: it lets every redistribution move all the data, of which a part stays in place.

#include "lab/theory/bsp.hpp"

#include <algorithm>
#include <ranges>

#include "kallima/plan.hpp"
#include "kallima/simulate.hpp"

namespace kallima::theory {
namespace {

// Counted from a schedule: the most computations that any processor does.
double counted_computations(const Schedule& schedule) {
  const auto count = [](const RankSchedule& r) { return std::ranges::count(r.tasks, TaskKind::compute, &Task::kind); };
  return static_cast<double>(std::ranges::max(schedule.ranks | std::views::transform(count)));
}

// The slide's example. Reversing bits of processor and local index apart is the correction's way, the block
// distribution of the reversed index the simulation's.
void add_reversal(std::vector<Comparison>& rows) {
  const Index n = 256, p = 8, j = 166;
  const LocalIndex from = cyclic_place(j, p), to = reversed_place(from, n, p);
  const Distribution blocks = Distribution::block(n, p);
  const Index reversed = bit_reversed(j, n);
  const std::string where = fmt::format("n={}, p={}, from processor {}, local {}", n, p, from.processor, from.local);
  const auto add = [&](const char* what, double printed, Index apart, Index whole) {
    rows.push_back({fmt::format("bit reversal of {}, {}", j, what), where, printed, static_cast<double>(apart),
                    static_cast<double>(whole)});
  };
  add("index", 101, blocks.global_index(to.processor, to.local), reversed);
  add("processor", 3, to.processor, blocks.owner(reversed));
  add("local index", 5, to.local, blocks.local_index(reversed));
}

}  // namespace

std::vector<double> counted_words(const Schedule& schedule) {
  std::vector<double> most(at(schedule.exchanges), 0);
  for (const RankSchedule& rank : schedule.ranks) {
    std::vector<double> mine(most.size(), 0);
    for (const Task& task : rank.tasks)
      if (task.kind == TaskKind::send_start) mine.at(at(task.tag)) += static_cast<double>(2 * task.elements);
    for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], mine[i]);
  }
  return most;
}

Schedule group_cyclic_schedule(const TransformSize& size) {
  return plan({.shape = {size.n}}, size.p, {.route = "group-cyclic", .chunks = 1, .exchange = Exchange::messages})
      ->schedule(Direction::forward);
}

// One exchange and several, up to a rank with two points.
std::vector<TransformSize> usual_sizes() {
  std::vector<TransformSize> sizes;
  for (const Index n : {32, 1024})
    for (int p = 2; p < n; p *= 2) sizes.push_back({n, p});
  return sizes;
}

std::vector<Comparison> bsp_table(const std::vector<TransformSize>& sizes) {
  std::vector<Comparison> rows;
  for (const auto& [n, p] : sizes) {
    const Schedule schedule = group_cyclic_schedule({n, p});
    const std::vector<double> counted = counted_words(schedule);
    const std::string where = fmt::format("n={}, p={}", n, p);
    rows.push_back(
        {"BSP FFT, real words out of a processor", where, printed_cost(n, p, {.g = 1}).communication,
         sum(corrected_words(n, p)), sum(counted), true,
         fmt::format("printed as an upper bound; counted by redistribution: {}", fmt::join(counted, " + "))});
    rows.push_back({"BSP FFT, computation supersteps", where, redistributions(n, p) + 1,
                    static_cast<double>(cycles(n, p).size()), counted_computations(schedule)});
  }
  add_reversal(rows);
  return rows;
}

std::vector<Comparison> bsp_times(const Bsp& machine, const std::vector<TransformSize>& sizes) {
  std::vector<Comparison> rows;
  for (const auto& [n, p] : sizes)
    rows.push_back({"BSP FFT, time", fmt::format("{}, n={}, p={}", text(Machine(machine)), n, p),
                    printed_cost(n, p, machine).total() / machine.r, corrected_cost(n, p, machine).total() / machine.r,
                    simulate(group_cyclic_schedule({n, p}), machine).completion, true, "printed as an upper bound"});
  return rows;
}

}  // namespace kallima::theory
