#include "lab/theory/bsp.hpp"

#include <gtest/gtest.h>

#include "kallima/layout.hpp"
#include "kallima/plan.hpp"

namespace kallima::theory {
namespace {

std::vector<TransformSize> sizes(Index most_points, int most_ranks) {
  std::vector<TransformSize> all;
  for (Index n = 4; n <= most_points; n *= 2)
    for (int p = 2; p < n && p <= most_ranks; p *= 2) all.push_back({n, p});
  return all;
}

TEST(Bsp, bit_reversal_is_the_one_on_the_slide) {
  EXPECT_EQ(bit_reversed(166, 256), 101);
  EXPECT_EQ(cyclic_place(166, 8), (LocalIndex{6, 20}));
  EXPECT_EQ(reversed_place({6, 20}, 256, 8), (LocalIndex{3, 5}));
}

TEST(Bsp, reversing_processor_and_local_bits_apart_ends_in_blocks) {
  for (const auto& [n, p] : sizes(64, 32))
    for (Index j = 0; j < n; ++j) {
      const Distribution blocks = Distribution::block(n, p);
      const LocalIndex expected{blocks.owner(bit_reversed(j, n)), blocks.local_index(bit_reversed(j, n))};
      EXPECT_EQ(reversed_place(cyclic_place(j, p), n, p), expected) << j << " of " << n << " on " << p;
    }
}

// The owner of x_j with cycle c: (j div b) c + (j mod b) mod c, b = ceil(cn/p) (slide "Group-cyclic distribution").
Index group_cyclic_owner(Index j, Index n, Index p, Index c) {
  const Index block = (c * n + p - 1) / p;
  return j / block * c + j % block % c;
}

TEST(Bsp, group_cyclic_owner_is_that_of_the_layouts) {
  for (const auto& [n, p] : sizes(128, 64))
    for (Index c = 1; c <= p; c *= 2)
      for (Index j = 0; j < n; ++j)
        EXPECT_EQ(group_cyclic_owner(j, n, p, c), Distribution::group_cyclic(n, p, c).owner(j));
}

TEST(Bsp, cycles_are_powers_of_the_local_size_and_then_all_processors) {
  EXPECT_EQ(cycles(8, 4), (std::vector<Index>{1, 2, 4}));
  EXPECT_EQ(cycles(32, 8), (std::vector<Index>{1, 4, 8}));
  EXPECT_EQ(cycles(1024, 32), (std::vector<Index>{1, 32}));
  for (const auto& [n, p] : sizes(4096, 1024)) {
    const std::vector<Index> c = cycles(n, p);
    EXPECT_EQ(static_cast<int>(c.size()), redistributions(n, p) + 1);
    for (std::size_t i = 0; i + 1 < c.size(); ++i) EXPECT_LT(c[i], c[i + 1]) << n << " on " << p;
  }
}

TEST(Bsp, one_redistribution_is_enough_up_to_the_square_root) {
  for (const auto& [n, p] : sizes(4096, 1024)) EXPECT_EQ(redistributions(n, p) == 1, Index{p} * p <= n);
}

TEST(Bsp, sizes_outside_the_scheme_are_refused_with_the_numbers) {
  for (const auto& [n, p] : std::vector<TransformSize>{{16, 16}, {12, 4}, {16, 3}, {16, 1}}) try {
      redistributions(n, p);
      ADD_FAILURE() << n << " on " << p << " was not refused";
    } catch (const Error& error) {
      const std::string start = std::to_string(n) + " points on " + std::to_string(p);
      EXPECT_EQ(std::string(error.what()).find(start), 0u) << error.what();
    }
}

TEST(Bsp, printed_cost_for_1024_points_on_32_processors) {
  const BspCost cost = printed_cost(1024, 32, {.r = 1, .g = 10, .l = 100});
  EXPECT_EQ(cost.computation, 5 * 1024 * 10 / 32);
  EXPECT_EQ(cost.communication, 2 * 1024 / 32 * 10);
  EXPECT_EQ(cost.synchronisation, 300);
  EXPECT_EQ(cost.total(), 1600 + 640 + 300);
}

TEST(Bsp, corrected_words_are_what_schedules_send) {
  for (const TransformSize& size : sizes(1024, 256))
    EXPECT_EQ(counted_words(group_cyclic_schedule(size)), corrected_words(size.n, size.p))
        << size.n << " on " << size.p;
}

TEST(Bsp, operations_of_a_schedule_are_the_corrected_ones) {
  for (const TransformSize& size : sizes(1024, 64)) {
    double most = 0;
    for (const RankSchedule& rank : group_cyclic_schedule(size).ranks) {
      double flops = 0;
      for (const Task& task : rank.tasks) flops += task.flops;
      most = std::max(most, flops);
    }
    EXPECT_TRUE(same(most, corrected_cost(size.n, size.p, {}).computation)) << size.n << " on " << size.p;
  }
}

TEST(Bsp, table_shows_the_printed_words_as_a_bound_and_all_else_as_equal) {
  int words = 0;
  for (const Comparison& row : bsp_table()) {
    ASSERT_TRUE(row.printed && row.corrected && row.simulated) << row.subject;
    EXPECT_TRUE(same(*row.corrected, *row.simulated)) << row.subject << ", " << row.parameters;
    const bool bound = row.subject.find("words") != std::string::npos;
    words += bound ? 1 : 0;
    EXPECT_TRUE(bound ? *row.simulated < *row.printed : same(*row.printed, *row.simulated)) << row.parameters;
  }
  EXPECT_EQ(words, static_cast<int>(usual_sizes().size()));
}

TEST(Bsp, simulated_times_are_the_corrected_ones) {
  for (const Bsp& machine : {Bsp{}, Bsp{.r = 1, .g = 10, .l = 1000}, Bsp{.r = 4, .g = 3, .l = 50}})
    for (const Comparison& row : bsp_times(machine, sizes(256, 64)))
      EXPECT_TRUE(same(*row.corrected, *row.simulated))
          << row.parameters << ": " << *row.corrected << " and " << *row.simulated;
}

}  // namespace
}  // namespace kallima::theory
