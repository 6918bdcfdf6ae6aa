// The table of collectives: printed, corrected and simulated side by side, and the few single numbers of the slides:
// how many leaves a tree has, the best packet, when a ring and a butterfly are worth their messages.

#include "lab/theory/collectives.hpp"

#include <algorithm>
#include <map>

#include "base/check.hpp"
#include "kallima/simulate.hpp"

namespace kallima::theory {
namespace {

double simulated(const Collective& c, const Machine& machine) {
  return simulate(collective_schedule(c), machine).completion;
}

bool exists(const Collective& c) {
  try {
    collective_in(c, 0);
    return true;
  } catch (const Error&) {
    return false;
  }
}

Comparison compare(const Collective& c, const Machine& machine) {
  const Forms it = forms(c, machine);
  const std::string packet = c.packet > 0 ? fmt::format(", k={}", c.packet) : "";
  return {.subject = c.name,
          .parameters = fmt::format("{}, P={}, s={}{}", text(machine), c.ranks, c.words, packet),
          .printed = it.printed,
          .corrected = it.corrected,
          .simulated = simulated(c, machine),
          .exact = it.exact,
          .note = it.note};
}

bool pipelines(const std::string& name) { return name == "broadcast-pipelined" || name == "broadcast-double"; }

std::string correction(const std::string& name, const Machine& machine) {
  static const std::map<std::string, std::string> all{
      {"broadcast-binary", "as printed, on a full tree"},
      {"broadcast-binomial", "the height is ceil(log P), the root included"},
      {"broadcast-ring", "as printed"},
      {"broadcast-pipelined", "2 (N + D - 1) packets; max(2g, 3o) each in LogP"},
      {"broadcast-double", "s beta only as the root feeds one child per tree"},
      {"broadcast-butterfly", "each half moves s (1 - 1/P)"},
      {"scatter", "a binomial tree moves s (1 - 1/P) in log P messages"},
      {"gather", "a binomial tree moves s (1 - 1/P) in log P messages"},
      {"allgather", "moves s (1 - 1/P) exactly"},
      {"reduce-scatter", "moves s (1 - 1/P) exactly; printed without the additions"},
      {"reduce", "each half moves s (1 - 1/P); printed without the additions"},
      {"allreduce", "each half moves s (1 - 1/P); printed without the additions"},
      {"scan", "whole vectors in every round"},
      {"alltoall-direct", "P - 1 messages and s (1 - 1/P) words"},
      {"alltoall-pairwise", "P - 1 messages and s (1 - 1/P) words"},
      {"alltoall-bruck", "as printed, on powers of two"}};
  if (std::holds_alternative<Bsp>(machine)) return "printed: sending directly, in one superstep for a butterfly";
  const auto found = all.find(name);
  return found == all.end() ? "" : found->second;
}

double silent_ranks(const Schedule& schedule) {
  return static_cast<double>(std::count_if(schedule.ranks.begin(), schedule.ranks.end(),
                                           [](const RankSchedule& r) { return r.words_sent() == 0; }));
}

Comparison leaves(int ranks) {
  return {.subject = "leaves of a full binary tree",
          .parameters = fmt::format("P={}", ranks),
          .printed = (ranks - 1) / 2.0,
          .corrected = (ranks + 1) / 2.0,
          .simulated = silent_ranks(collective_schedule({.name = "broadcast-binary", .ranks = ranks})),
          .note = "those who send nothing"};
}

// Without start-up costs all messages are as good as infinitely long.
std::vector<Comparison> ring_limits(int ranks) {
  const AlphaBeta endless{.alpha = 0, .beta = 1};
  const std::string where = fmt::format("P={}, s to infinity", ranks);
  const double ratio = simulated({.name = "broadcast-binomial", .ranks = ranks, .words = ranks}, endless) /
                       simulated({.name = "broadcast-ring", .ranks = ranks, .words = ranks}, endless);
  return {{.subject = "binomial tree over ring, printed costs",
           .parameters = where,
           .printed = printed_ring_limit(ranks),
           .corrected = ring_limit_of_printed_costs(ranks),
           .exact = false,
           .note = "near log(P)/2 for large P only"},
          {.subject = "binomial tree over ring, true height",
           .parameters = where,
           .printed = printed_ring_limit(ranks),
           .corrected = ring_limit(ranks),
           .simulated = ratio}};
}

// Both are straight lines over s, so two points of each give the crossing.
Comparison crossover(int ranks) {
  const AlphaBeta unit{.alpha = 1, .beta = 1};
  const auto difference = [&](Index words) {
    return simulated({.name = "alltoall-direct", .ranks = ranks, .words = words}, unit) -
           simulated({.name = "alltoall-bruck", .ranks = ranks, .words = words}, unit);
  };
  const double low = static_cast<double>(ranks), high = 100 * low;
  const double a = difference(ranks), b = difference(100 * ranks);
  return {.subject = "size from which direct all-to-all wins",
          .parameters = fmt::format("P={}, in alpha/beta", ranks),
          .corrected = alltoall_crossover(ranks),
          .simulated = low + (high - low) * a / (a - b)};
}

Comparison best_packet_of(const AlphaBeta& machine, int ranks, Index words) {
  Index best = 1;
  double least = simulated({.name = "broadcast-pipelined", .ranks = ranks, .words = words, .packet = 1}, machine);
  for (Index k = 2; k <= words; ++k) {
    const double time =
        simulated({.name = "broadcast-pipelined", .ranks = ranks, .words = words, .packet = k}, machine);
    if (time < least) {
      least = time;
      best = k;
    }
  }
  return {.subject = "best packet of a pipelined binary tree",
          .parameters = fmt::format("{}, P={}, s={}", text(machine), ranks, words),
          .printed = printed_packet(machine, ranks, words),
          .corrected = static_cast<double>(optimal_packet(machine, ranks, words)),
          .simulated = static_cast<double>(best),
          .exact = false,
          .note = "clamped to [1, s]; packets are whole and so is their number"};
}

Comparison lower_bound(const AlphaBeta& machine, int ranks, Index words) {
  const Collective c{
      .name = "broadcast-double", .ranks = ranks, .words = words, .startup = machine.alpha / machine.beta};
  return {.subject = "lower bound of Johnsson and Ho",
          .parameters = fmt::format("{}, P={}, s={}", text(machine), ranks, words),
          .printed = printed_lower_bound(machine, ranks, words),
          .corrected = broadcast_lower_bound(machine, ranks, words),
          .simulated = simulated(c, machine),
          .exact = false,
          .note = "simulated: the double tree with its best packet"};
}

}  // namespace

Forms forms(const Collective& c, const Machine& machine) {
  Forms it = corrected_cost(c, machine);
  it.printed = printed_cost(c, machine);
  it.note = correction(c.name, machine);
  return it;
}

std::vector<Comparison> collectives_table(const std::vector<Machine>& machines, const std::vector<int>& ranks,
                                          const std::vector<Index>& words) {
  std::vector<Comparison> table;
  for (const auto& [name, summary] : collective_names())
    for (const Machine& machine : machines)
      for (const int P : ranks)
        for (const Index s : words) {
          Collective c{.name = name, .ranks = P, .words = s};
          if (pipelines(name)) c.packet = std::max<Index>(1, s / 8);
          if (exists(c)) table.push_back(compare(c, machine));
        }
  return table;
}

std::vector<Comparison> collectives_table() {
  std::vector<Comparison> table =
      collectives_table({AlphaBeta{.alpha = 10, .beta = 1}, Logp{.L = 6, .o = 1, .g = 4},
                         Loggp{.L = 6, .o = 1, .g = 4, .G = 1}, Bsp{.r = 1, .g = 2, .l = 100}},
                        {7, 8, 15, 16}, {16, 960});
  for (const int P : {7, 15, 31}) table.push_back(leaves(P));
  for (const int P : {8, 16, 64})
    for (Comparison& line : ring_limits(P)) table.push_back(std::move(line));
  for (const int P : {4, 8, 64}) table.push_back(crossover(P));
  table.push_back({.subject = "size from which direct all-to-all wins",
                   .parameters = "P=1024, in alpha/beta",
                   .corrected = alltoall_crossover(1024)});
  for (const double alpha : {0.01, 4.0, 1e5}) table.push_back(best_packet_of({.alpha = alpha, .beta = 1}, 15, 64));
  for (const Index s : {64, 4096}) table.push_back(lower_bound({.alpha = 16, .beta = 1}, 16, s));
  return table;
}

}  // namespace kallima::theory
