// The table of collectives: printed, corrected and simulated side by side. Then the single numbers of the slides, as
// they stand and mended: how many leaves a tree has, the best packet, from where on a ring and a direct all-to-all are
// worth their messages, and a bound for broadcasts: the root cannot send its N-th packet before N - 1 others, and who
// has that one at most doubles with every message: N - 1 + ceil(log P) packets, for the best size of them.

#include "lab/theory/collectives.hpp"

#include "kallima/simulate.hpp"

namespace kallima::theory {
namespace {

double simulated(const Collective& c, const Machine& machine) {
  return simulate(collective_schedule(c), machine).completion;
}

Comparison leaves(int ranks) {
  const Schedule tree = collective_schedule({.name = "broadcast-binary", .ranks = ranks});
  const auto silent = static_cast<double>(std::ranges::count(tree.ranks, 0, &RankSchedule::words_sent));
  const std::string where = fmt::format("P={}", ranks), note = "those who send nothing";
  return {"leaves of a full binary tree", where, (ranks - 1) / 2.0, (ranks + 1) / 2.0, silent, true, note};
}

// How many times faster than a binomial tree a ring broadcasts very long messages: log(P)/2 as printed; what follows
// from the printed costs; and what does when the tree has its true height, ceil(log P). Without start-up costs all
// messages are as good as infinitely long.
void add_ring_limits(int P, std::vector<Comparison>& table) {
  const auto endless = [&](const char* name) {
    return simulated({.name = name, .ranks = P, .words = P}, AlphaBeta{.alpha = 0, .beta = 1});
  };
  const std::string where = fmt::format("P={}, s to infinity", P);
  const auto limit = [&](double tree_height) { return P * tree_height / (2.0 * (P - 1)); };
  table.push_back({"binomial tree over ring, printed costs", where, std::log2(P) / 2, limit(std::log2(P + 1.0)),
                   std::nullopt, false, "near log(P)/2 for large P only"});
  table.push_back({"binomial tree over ring, true height", where, std::log2(P) / 2, limit(height(P)),
                   endless("broadcast-binomial") / endless("broadcast-ring")});
}

// Both are straight lines over s, so two points of each give the crossing.
double simulated_crossover(int ranks) {
  const AlphaBeta unit{.alpha = 1, .beta = 1};
  const auto difference = [&](Index words) {
    return simulated({.name = "alltoall-direct", .ranks = ranks, .words = words}, unit) -
           simulated({.name = "alltoall-bruck", .ranks = ranks, .words = words}, unit);
  };
  const double low = static_cast<double>(ranks), high = 100 * low;
  const double a = difference(ranks), b = difference(100 * ranks);
  return low + (high - low) * a / (a - b);
}

Comparison crossover(int ranks, std::optional<double> simulation) {
  return {"size from which direct all-to-all wins", fmt::format("P={}, in alpha/beta", ranks), std::nullopt,
          alltoall_crossover(ranks), simulation};
}

Comparison best_packet_of(const AlphaBeta& machine, Collective c) {
  const std::string where = forms(c, machine).parameters;
  std::vector<double> times;
  for (c.packet = 1; c.packet <= c.words; ++c.packet) times.push_back(simulated(c, machine));
  const auto best = static_cast<double>(std::ranges::min_element(times) - times.begin() + 1);
  const double printed = printed_packet(machine, c.ranks, c.words);
  const auto corrected = static_cast<double>(optimal_packet(machine, c.ranks, c.words));
  const std::string note = "clamped to [1, s]; packets are whole and so is their number";
  return {"best packet of a pipelined binary tree", where, printed, corrected, best, false, note};
}

Comparison lower_bound(const AlphaBeta& m, const Collective& c) {
  const double printed = printed_lower_bound(m, c.ranks, c.words), bound = broadcast_lower_bound(m, c.ranks, c.words);
  const std::string where = forms(c, m).parameters, note = "simulated: the double tree with its best packet";
  return {"lower bound of Johnsson and Ho", where, printed, bound, simulated(c, m), false, note};
}

}  // namespace

std::vector<Comparison> collectives_table(const std::vector<Machine>& machines, const std::vector<int>& ranks,
                                          const std::vector<Index>& words) {
  std::vector<Comparison> table;
  for (const auto& [name, summary] : collective_names())
    for (const Machine& machine : machines)
      for (const int P : ranks)
        for (const Index s : words) {
          Collective c{.name = name, .ranks = P, .words = s};
          if (name == "broadcast-pipelined" || name == "broadcast-double") c.packet = std::max<Index>(1, s / 8);
          if (outcome_of([&] { collective_in(c, 0); }).error) continue;  // not on so many ranks
          table.push_back(forms(c, machine));
          table.back().simulated = simulated(c, machine);
        }
  return table;
}

std::vector<Comparison> collectives_table() {
  std::vector<Comparison> table =
      collectives_table({AlphaBeta{.alpha = 10, .beta = 1}, Logp{.L = 6, .o = 1, .g = 4},
                         Loggp{.L = 6, .o = 1, .g = 4, .G = 1}, Bsp{.r = 1, .g = 2, .l = 100}},
                        {7, 8, 15, 16}, {16, 960});
  for (const int P : {7, 15, 31}) table.push_back(leaves(P));
  for (const int P : {8, 16, 64}) add_ring_limits(P, table);
  for (const int P : {4, 8, 64}) table.push_back(crossover(P, simulated_crossover(P)));
  table.push_back(crossover(1024, std::nullopt));
  for (const double alpha : {0.01, 4.0, 1e5})
    table.push_back(
        best_packet_of({.alpha = alpha, .beta = 1}, {.name = "broadcast-pipelined", .ranks = 15, .words = 64}));
  for (const Index s : {64, 4096})
    table.push_back(
        lower_bound({.alpha = 16, .beta = 1}, {.name = "broadcast-double", .ranks = 16, .words = s, .startup = 16}));
  return table;
}

}  // namespace kallima::theory
