#include "kallima/butterfly.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "kallima/plan.hpp"
#include "kallima/simulate.hpp"
#include "kallima/symmetry.hpp"

namespace kallima {
namespace {

TEST(BinaryPermutation, of_eight_there_are_two_to_the_seven) {
  std::vector<int> values(8);
  std::iota(values.begin(), values.end(), 0);
  int count = 0;
  do count += BinaryPermutation::is_binary(values);
  while (std::next_permutation(values.begin(), values.end()));
  EXPECT_EQ(count, 128);
}

TEST(BinaryPermutation, of_other_things_there_are_none) {
  EXPECT_FALSE(BinaryPermutation::is_binary(std::vector<int>{}));
  EXPECT_FALSE(BinaryPermutation::is_binary(std::vector<int>{0, 1, 2}));
  EXPECT_FALSE(BinaryPermutation::is_binary(std::vector<int>{0, 0}));
  EXPECT_FALSE(BinaryPermutation::is_binary(std::vector<int>{0, 2}));
  EXPECT_FALSE(BinaryPermutation::is_binary(std::vector<int>{4, 5, 6, 7, 3, 0, 2, 1}));
  EXPECT_THROW(BinaryPermutation({0, 2, 1, 3}), Error);
}

TEST(BinaryPermutation, falls_apart_as_in_the_papers_example) {
  const auto parts = BinaryPermutation({4, 5, 6, 7, 3, 2, 0, 1}).decompose(2);
  EXPECT_EQ(parts.outer.values(), (std::vector<int>{2, 3, 1, 0}));
  const std::vector<std::vector<int>> inner{{0, 1}, {0, 1}, {1, 0}, {0, 1}};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(parts.inner[k].values(), inner[k]);
}

TEST(BinaryPermutation, sigma_and_pi_are_those_of_figure_two) {
  EXPECT_EQ(BinaryPermutation::sigma(4, 2).values(), (std::vector<int>{1, 0, 3, 2}));
  EXPECT_EQ(BinaryPermutation::pi(4, 8, 2).values(), (std::vector<int>{2, 3, 0, 1, 6, 7, 4, 5}));
}

TEST(Butterfly, every_schedule_computes_every_node_once) {
  for (const auto& [name, summary] : node_schedule_names())
    for (const auto& [n, P] : {std::pair<Index, int>{2, 1}, {4, 2}, {16, 4}, {64, 2}, {64, 8}}) {
      const Butterfly butterfly{n, P, node_schedule_named(name), PhaseTwo::waiting};
      std::set<std::pair<Index, int>> seen;
      Index count = 0;
      for (int rank = 0; rank < P; ++rank)
        for (const ButterflyNode& node : butterfly_nodes(butterfly, rank))
          if (node.row >= 0) {
            seen.insert({node.row, node.column});
            ++count;
          }
      int log_n = 0;
      while ((Index{1} << log_n) < n) ++log_n;
      EXPECT_EQ(count, n * log_n) << name;
      EXPECT_EQ(static_cast<Index>(seen.size()), n * log_n) << name;
    }
}

TEST(Butterfly, impossible_sizes_are_named) {
  const auto error = [](Index n, int P, NodeSchedule schedule) -> std::string {
    try {
      butterfly_outline({n, P, schedule, PhaseTwo::waiting});
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(error(12, 2, NodeSchedule::simple).find("n = 12"), std::string::npos);
  EXPECT_NE(error(16, 3, NodeSchedule::simple).find("P = 3"), std::string::npos);
  EXPECT_NE(error(8, 4, NodeSchedule::simple).find("n >= 16"), std::string::npos);
  EXPECT_EQ(error(8, 4, NodeSchedule::all_cyclic), "");
  EXPECT_THROW(node_schedule_named("clever"), Error);
}

TEST(Symmetry, one_rank_of_a_cyclic_route_costs_what_all_do) {
  for (const auto& [shape, ranks] : {std::pair<Shape, int>{{1024}, 8}, {{36}, 6}, {{16, 16}, 4}, {{64, 8, 4}, 4}}) {
    const auto it = plan({.shape = shape}, ranks, {.route = "cyclic", .exchange = Exchange::messages});
    const std::optional<Outline> shared = shared_outline(*it, Direction::forward);
    ASSERT_TRUE(shared) << text(shape);
    for (const Machine& machine : {Machine(Logp{9, 1, 4}), Machine(Loggp{2, 1, 3, 0.5}), Machine(Bsp{1, 3, 20})}) {
      const Simulation one = simulate(*shared, machine, {.pricing = Pricing::one_rank});
      const Simulation all = simulate(it->schedule(Direction::forward), machine);
      EXPECT_NEAR(one.completion, all.completion, 1e-9 * all.completion) << text(shape) << " " << text(machine);
      EXPECT_EQ(one.words, all.words);
      EXPECT_EQ(one.messages, all.messages);
    }
  }
}

TEST(Symmetry, ranks_that_differ_share_nothing) {
  const auto it = plan({.shape = {10, 12}}, 4, {.route = "slab", .exchange = Exchange::messages});
  EXPECT_FALSE(shared_outline(*it, Direction::forward));
}

}  // namespace
}  // namespace kallima
