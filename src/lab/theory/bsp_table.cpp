// Bisseling's formulas in a table with what is counted from our own schedules of his algorithm.

#include <algorithm>
#include <numeric>

#include "base/check.hpp"
#include "kallima/plan.hpp"
#include "lab/theory/bsp.hpp"

namespace kallima::theory {
namespace {

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

std::string parameters(const TransformSize& size) { return fmt::format("n={}, p={}", size.n, size.p); }

Comparison words_row(const TransformSize& size, const Schedule& schedule) {
  const std::vector<double> counted = counted_words(schedule);
  return {.subject = "BSP FFT, real words out of a processor",
          .parameters = parameters(size),
          .printed = printed_cost(size.n, size.p, {.g = 1}).communication,
          .corrected = sum(corrected_words(size.n, size.p)),
          .simulated = sum(counted),
          .note = fmt::format("printed as an upper bound; counted by redistribution: {}", fmt::join(counted, " + "))};
}

Comparison supersteps_row(const TransformSize& size, const Schedule& schedule) {
  return {.subject = "BSP FFT, computation supersteps",
          .parameters = parameters(size),
          .printed = redistributions(size.n, size.p) + 1,
          .corrected = static_cast<double>(cycles(size.n, size.p).size()),
          .simulated = counted_computations(schedule)};
}

// The slide's example. Reversing bits of processor and local index apart is the correction's way, the block
// distribution of the reversed index the simulation's.
std::vector<Comparison> reversal_rows() {
  const Index n = 256, p = 8, j = 166;
  const Place from = cyclic_place(j, p);
  const Place to = reversed_place(from, n, p);
  const Distribution blocks = Distribution::block(n, p);
  const Index reversed = bit_reversal(j, n);
  const std::string where = fmt::format("n={}, p={}, from processor {}, local {}", n, p, from.processor, from.local);
  const auto row = [&](const char* what, double printed, Index apart, Index whole) {
    return Comparison{.subject = fmt::format("bit reversal of {}, {}", j, what),
                      .parameters = where,
                      .printed = printed,
                      .corrected = static_cast<double>(apart),
                      .simulated = static_cast<double>(whole)};
  };
  return {row("index", 101, blocks.global_index(to.processor, to.local), reversed),
          row("processor", 3, to.processor, blocks.owner(reversed)),
          row("local index", 5, to.local, blocks.local_index(reversed))};
}

}  // namespace

std::vector<double> counted_words(const Schedule& schedule) {
  std::vector<double> most(static_cast<std::size_t>(schedule.exchanges), 0);
  for (const RankSchedule& rank : schedule.ranks) {
    std::vector<double> mine(most.size(), 0);
    for (const Task& task : rank.tasks)
      if (task.kind == TaskKind::send_start)
        mine.at(static_cast<std::size_t>(task.tag)) += static_cast<double>(2 * task.elements);
    for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], mine[i]);
  }
  return most;
}

int counted_computations(const Schedule& schedule) {
  Index most = 0;
  for (const RankSchedule& rank : schedule.ranks)
    most = std::max<Index>(most, std::count_if(rank.tasks.begin(), rank.tasks.end(),
                                               [](const Task& task) { return task.kind == TaskKind::compute; }));
  return static_cast<int>(most);
}

Schedule group_cyclic_schedule(const TransformSize& size) {
  return plan({.shape = {size.n}}, size.p, {.route = "group-cyclic", .exchange = Exchange::messages})
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
  for (const TransformSize& size : sizes) {
    const Schedule schedule = group_cyclic_schedule(size);
    rows.push_back(words_row(size, schedule));
    rows.push_back(supersteps_row(size, schedule));
  }
  for (const Comparison& row : reversal_rows()) rows.push_back(row);
  return rows;
}

}  // namespace kallima::theory
