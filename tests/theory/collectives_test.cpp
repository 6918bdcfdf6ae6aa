// The exact forms equal the simulation of the schedules, over machines, ranks and sizes; estimates are near it.

#include "lab/theory/collectives.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "collective_suite.hpp"
#include "kallima/simulate.hpp"

namespace kallima::theory {
namespace {

const std::vector<Machine> machines{AlphaBeta{.alpha = 10, .beta = 1},
                                    AlphaBeta{.alpha = 0, .beta = 2, .r = 1},
                                    AlphaBeta{.alpha = 3, .beta = 0, .r = 0.5},
                                    Logp{.L = 5, .o = 0, .g = 4},
                                    Logp{.L = 0, .o = 0, .g = 4},
                                    Logp{.L = 1, .o = 1, .g = 4},
                                    Logp{.L = 5, .o = 2, .g = 4, .r = 1},
                                    Logp{.L = 3, .o = 3, .g = 4},
                                    Logp{.L = 64, .o = 2, .g = 1},
                                    Loggp{.L = 5, .o = 0, .g = 4, .G = 1},
                                    Loggp{.L = 5, .o = 1, .g = 4, .G = 1, .r = 1},
                                    Loggp{.L = 0, .o = 0, .g = 64, .G = 1},
                                    Loggp{.L = 2, .o = 1, .g = 64, .G = 0.5},
                                    Loggp{.L = 9, .o = 4, .g = 4, .G = 0.25},
                                    Bsp{.r = 1, .g = 2, .l = 100},
                                    Bsp{.r = 4, .g = 8, .l = 0}};

double simulated(const Collective& c, const Machine& machine) {
  return simulate(collective_schedule(c), machine).completion;
}

template <class F>
void for_each_case(const F& visit) {
  for (const auto& [name, summary] : collective_names())
    for (const Machine& machine : machines)
      for (const int ranks : {1, 2, 3, 4, 7, 8, 12, 15, 16})
        for (const Index words : {Index{1}, Index{ranks}, Index{4} * ranks, Index{64}})
          for (const Index packet : {1, 4, 16}) {
            const bool packets = name == "broadcast-pipelined" || name == "broadcast-double";
            if (!packets && packet > 1) continue;
            const Collective c{.name = name, .ranks = ranks, .words = words, .packet = packet};
            if (applies(c)) visit(c, machine, forms(c, machine));
          }
}

TEST(CollectiveCosts, exact_forms_equal_the_simulation) {
  std::map<std::string, int> exact, all;
  for_each_case([&](const Collective& c, const Machine& machine, const Comparison& it) {
    ++all[c.name];
    if (!it.exact) return;
    ++exact[c.name];
    const double time = simulated(c, machine);
    EXPECT_TRUE(same(*it.corrected, time))
        << c.name << " of " << c.words << " on " << c.ranks << ", packet " << c.packet << ", " << text(machine) << ": "
        << *it.corrected << ", simulated " << time;
  });
  for (const auto& [name, count] : all)
    EXPECT_GT(exact[name], count / 8) << name << ": exact in " << exact[name] << " of " << count;
}

class Dice {
 public:
  double operator()(int low, int high) { return std::uniform_int_distribution<>(low, high)(random_); }
  Index whole(int low, int high) { return static_cast<Index>((*this)(low, high)); }

 private:
  std::mt19937 random_{7};
};

Machine any_machine(Dice& dice, int kind) {
  const double r = dice(1, 4), o = dice(0, 2) > 0 ? dice(0, 6) : 0;
  if (kind == 0) return AlphaBeta{.alpha = dice(0, 20), .beta = dice(0, 4), .r = r};
  if (kind == 1) return Logp{.L = dice(0, 20), .o = o, .g = dice(0, 12), .r = r};
  if (kind == 2) return Loggp{.L = dice(0, 20), .o = o, .g = dice(0, 24), .G = dice(0, 8) / 4, .r = r};
  return Bsp{.r = r, .g = dice(0, 9), .l = dice(0, 99)};
}

TEST(CollectiveCosts, exact_forms_equal_the_simulation_on_any_machine) {
  Dice dice;
  const std::vector<int> ranks{2, 3, 4, 5, 7, 8, 12, 15, 16, 31, 32, 63};
  for (int i = 0; i < 160; ++i)
    for (const auto& [name, summary] : collective_names()) {
      const int P = ranks[static_cast<std::size_t>(dice.whole(0, 11))];
      const Index packet = dice.whole(1, 12);
      const Index words = dice(0, 1) > 0 ? packet * P * dice.whole(1, 3) : dice.whole(1, 100);
      const Collective c{.name = name, .ranks = P, .words = words, .packet = packet};
      const Machine machine = any_machine(dice, i % 4);
      if (!applies(c)) continue;
      const Comparison it = forms(c, machine);
      const double time = simulated(c, machine);
      EXPECT_TRUE(!it.exact || same(*it.corrected, time))
          << name << " of " << words << " on " << P << ", packet " << packet << ", " << text(machine) << ": "
          << *it.corrected << ", simulated " << time;
    }
}

TEST(CollectiveCosts, of_alpha_beta_are_the_well_known_ones) {
  const AlphaBeta m{.alpha = 10, .beta = 1, .r = 2};  // an addition takes 1
  const auto cost = [&](const char* name, int P, Index s, Index k = 0) {
    return *forms({.name = name, .ranks = P, .words = s, .packet = k}, m).corrected;
  };
  EXPECT_DOUBLE_EQ(cost("broadcast-binary", 15, 64), 6 * 74);
  EXPECT_DOUBLE_EQ(cost("broadcast-binomial", 12, 64), 4 * 74);
  EXPECT_DOUBLE_EQ(cost("broadcast-ring", 8, 64), 14 * 18);
  EXPECT_DOUBLE_EQ(cost("broadcast-pipelined", 7, 64, 4), 2 * 17 * 14);
  EXPECT_DOUBLE_EQ(cost("broadcast-double", 8, 64, 4), 20 * 14);
  EXPECT_DOUBLE_EQ(cost("scatter", 8, 64), 30 + 56);
  EXPECT_DOUBLE_EQ(cost("allgather", 8, 64), 30 + 56);
  EXPECT_DOUBLE_EQ(cost("reduce-scatter", 8, 64), 30 + 56 + 56);
  EXPECT_DOUBLE_EQ(cost("allreduce", 8, 64), 60 + 112 + 56);
  EXPECT_DOUBLE_EQ(cost("scan", 8, 64), 3 * 74 + 5 * 64);
  EXPECT_DOUBLE_EQ(cost("alltoall-direct", 7, 63), 6 * 19);
  EXPECT_DOUBLE_EQ(cost("alltoall-bruck", 8, 64), 3 * 42);
}

TEST(CollectiveCosts, printed_forms_are_those_of_the_slides) {
  const AlphaBeta m{.alpha = 9, .beta = 1};
  const auto printed = [](const char* name, int P, Index s, const Machine& machine, Index k = 0) {
    return *forms({.name = name, .ranks = P, .words = s, .packet = k}, machine).printed;
  };
  EXPECT_DOUBLE_EQ(printed("broadcast-binary", 7, 64, m), 4 * 73);
  EXPECT_DOUBLE_EQ(printed("broadcast-binomial", 7, 64, m), 3 * 73);
  EXPECT_DOUBLE_EQ(printed("broadcast-pipelined", 8, 64, m, 4), 2 * 19 * 13);
  EXPECT_DOUBLE_EQ(printed("broadcast-double", 4, 16, m), 36 + 2 * 24 + 16);
  EXPECT_DOUBLE_EQ(printed("alltoall-bruck", 8, 64, m), 3 * 41);
  EXPECT_DOUBLE_EQ(printed("broadcast-pipelined", 8, 64, Logp{.L = 5, .o = 1, .g = 2}, 1), 3 * 10 + 256);
  EXPECT_DOUBLE_EQ(printed("broadcast-pipelined", 8, 64, Loggp{.L = 5, .o = 1, .g = 2, .G = 1}, 4), 3 * 18 + 32 * 6);
  EXPECT_DOUBLE_EQ(printed("allgather", 8, 64, Bsp{.r = 2, .g = 3, .l = 10}), (10 + 6 * 64) / 2.0);
  EXPECT_FALSE(forms({.name = "scan", .ranks = 8, .words = 64}, m).printed);
}

TEST(CollectiveCosts, direct_all_to_all_wins_from_the_crossover_on) {
  EXPECT_NEAR(alltoall_crossover(8), 6.4, 1e-12);
  EXPECT_NEAR(alltoall_crossover(1024), 253.2, 0.05);
  EXPECT_THROW(alltoall_crossover(2), Error);
  EXPECT_THROW(alltoall_crossover(12), Error);
  const AlphaBeta m{.alpha = 100, .beta = 1};
  const auto wins = [&](Index words) {
    return simulated({.name = "alltoall-direct", .ranks = 8, .words = words}, m) <
           simulated({.name = "alltoall-bruck", .ranks = 8, .words = words}, m);
  };
  EXPECT_FALSE(wins(632));
  EXPECT_TRUE(wins(648));
}

TEST(CollectiveCosts, the_best_packet_is_at_least_a_word_and_at_most_all) {
  EXPECT_EQ(optimal_packet(AlphaBeta{.alpha = 100, .beta = 1}, 16, 10000), 500);
  EXPECT_EQ(optimal_packet(Loggp{.g = 100, .G = 1}, 16, 10000), 500);
  EXPECT_EQ(optimal_packet(AlphaBeta{.alpha = 1e6, .beta = 1}, 16, 100), 100);
  EXPECT_EQ(optimal_packet(AlphaBeta{.alpha = 1e-6, .beta = 1}, 16, 100), 1);
  EXPECT_EQ(optimal_packet(Logp{.g = 1}, 16, 100), 1);
}

TEST(CollectiveCosts, no_broadcast_beats_the_lower_bound) {
  const AlphaBeta m{.alpha = 16, .beta = 1};
  EXPECT_LT(simulated({.name = "broadcast-binomial", .ranks = 2, .words = 64}, m), printed_lower_bound(m, 2, 64));
  for (const int P : {2, 8, 16, 64})
    for (const Index s : {64, 4096})
      for (const char* name : {"broadcast-pipelined", "broadcast-double", "broadcast-binomial"}) {
        const Collective c{.name = name, .ranks = P, .words = s, .startup = 16};
        EXPECT_GE(simulated(c, m) * (1 + 1e-12), broadcast_lower_bound(m, P, s)) << name << " on " << P;
      }
}

TEST(CollectivesTable, agrees_with_the_simulation_wherever_it_claims_to) {
  int claims = 0;
  for (const Comparison& line : collectives_table()) {
    EXPECT_FALSE(line.subject.empty() || line.parameters.empty());
    if (!line.exact || !line.corrected || !line.simulated) continue;
    ++claims;
    EXPECT_TRUE(same(*line.corrected, *line.simulated)) << line.subject << ", " << line.parameters;
  }
  EXPECT_GT(claims, 100);
}

TEST(CollectivesTable, shows_where_the_slides_are_wrong) {
  const auto table = collectives_table();
  const auto has = [&](const std::string& subject) {
    return std::any_of(table.begin(), table.end(), [&](const Comparison& line) {
      return line.subject == subject && line.printed && line.simulated && !same(*line.printed, *line.simulated);
    });
  };
  for (const char* subject : {"broadcast-binomial", "allgather", "alltoall-direct", "leaves of a full binary tree",
                              "binomial tree over ring, true height"})
    EXPECT_TRUE(has(subject)) << subject;
}

}  // namespace
}  // namespace kallima::theory
