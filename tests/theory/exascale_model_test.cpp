// The equations against each other and against counting: units, limits, proportionalities, tori.

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "kallima/exascale.hpp"

using namespace kallima;
using namespace kallima::exascale;

namespace {

constexpr double link = 10e9;

ComputeNode plain_node() {
  return {.peak_flop_per_s = 50e9,
          .cores = 6,
          .memory_bytes_per_s = 16e9,
          .cache_bytes = 16 * 1024,
          .line_bytes = 64,
          .link_bytes_per_s = link};
}

TEST(ExascaleModel, a_word_is_sixteen_bytes) {
  EXPECT_DOUBLE_EQ(words_per_s(16e9), 1e9);
  EXPECT_DOUBLE_EQ(full_network_time_s(1000, 10, 16e9), 2 * 1e9 / 10 / 1e9);
  EXPECT_DOUBLE_EQ(shuffle_time_s(1000, 10, 16e9), 0.4);
  EXPECT_DOUBLE_EQ(pcie_time_s(1000, 10, 16e9), 0.2);
}

TEST(ExascaleModel, flops_are_five_n_log_n_of_all_points) {
  EXPECT_DOUBLE_EQ(flop_count(64), 5 * 262144.0 * 18);  // log2 of 64^3
  EXPECT_DOUBLE_EQ(flop_time_s(64, 4, 1e9), flop_count(64) / 4e9);
  EXPECT_THROW(flop_count(1), Error);
}

TEST(ExascaleModel, memory_time_counts_compulsory_misses_and_then_the_log) {
  const ComputeNode node = plain_node();  // its cache holds 1024 words
  EXPECT_DOUBLE_EQ(memory_time_s(1000, 1, node), 3 * 6.3 * 1e9 / 1e9);
  EXPECT_DOUBLE_EQ(memory_time_s(1024 * 1024.0, 1, node), 2 * 3 * 6.3 * std::pow(1024.0, 6) / 1e9);
}

TEST(ExascaleModel, six_seven_and_ten_follow_from_two_four_and_five) {
  const ComputeNode node = plain_node();
  for (const double peak : {4e15, 1e18}) {
    for (const double n : {500.0, 21000.0}) {
      const double nodes = peak / node.peak_flop_per_s;
      const double memory = memory_time_s(n, nodes, node);
      const double bisection = torus_bisection_time_s(n, nodes, link);
      EXPECT_NEAR(memory_time_of_peak_s(n, peak, node) / memory, 1, 1e-12);
      EXPECT_NEAR(network_time_of_peak_s(n, peak, node, kappa_bisection(3)) / bisection, 1, 1e-12);
      EXPECT_NEAR(network_time_of_peak_s(n, peak, node, kappa_ideal(3)) / torus_ideal_time_s(n, nodes, link), 1, 1e-12);
      EXPECT_NEAR(memory_to_network(n, peak, node, kappa_bisection(3)) / (memory / bisection), 1, 1e-12);
    }
  }
}

TEST(ExascaleModel, balance_limit_is_where_memory_and_flop_time_meet) {
  ComputeNode node = plain_node();
  const double n = 1 << 20;  // beyond the cache, as the derivation of (11) has it
  node.peak_flop_per_s = balance_limit_flop_per_word(node.cache_bytes, 1) * words_per_s(node.memory_bytes_per_s);
  EXPECT_NEAR(memory_time_s(n, 8, node) / flop_time_s(n, 8, node.peak_flop_per_s), 1, 1e-12);
  EXPECT_LT(balance_limit_flop_per_word(node.cache_bytes, 6), balance_limit_flop_per_word(node.cache_bytes, 1));
}

TEST(ExascaleModel, nodes_send_nearly_all_they_have) {
  EXPECT_DOUBLE_EQ(words_sent_per_node(64, 4), 64 * 64 * 64 / 4 / 2.0);
  EXPECT_NEAR(words_sent_per_node(4096, 1e8) / (std::pow(4096.0, 3) / 1e8), 1, 1e-3);
}

TEST(ExascaleModel, kappas_are_the_papers_in_three_dimensions_and_tend_to_one) {
  EXPECT_DOUBLE_EQ(kappa_bisection(3), 2.0 / 3);
  EXPECT_DOUBLE_EQ(kappa_ideal(3), 5.0 / 6);
  for (int d = 1; d < 10; ++d) {
    EXPECT_LT(kappa_bisection(d), kappa_ideal(d));
    EXPECT_LT(kappa_ideal(d), kappa_ideal(d + 1));
  }
  EXPECT_NEAR(torus_bisection_time_s(100, 64, link, 1000), full_network_time_s(100, 64, link), 1e-2 / link * 1e9);
  EXPECT_THROW(kappa_ideal(0), Error);
}

TEST(ExascaleModel, cutting_a_cube_is_equation_five) {
  for (const Index side : {3, 8, 17}) {
    const std::vector<Index> cube(3, side);
    const double nodes = static_cast<double>(side * side * side);
    EXPECT_NEAR(torus_cut_time_s(100, cube, link) / torus_bisection_time_s(100, nodes, link), 1, 1e-12);
  }
  const std::vector<Index> four(4, 6);
  EXPECT_NEAR(torus_cut_time_s(100, four, link) / torus_bisection_time_s(100, 1296, link, 4), 1, 1e-12);
}

TEST(ExascaleModel, the_narrowest_cut_is_across_the_longest_ring) {
  EXPECT_EQ(torus_cut_links(std::vector<Index>{17, 8, 24}), 2 * 17 * 8);
  EXPECT_EQ(torus_cut_links(std::vector<Index>{2, 2, 2}), 4);  // pairs have one link, not two
  EXPECT_EQ(torus_cut_links(std::vector<Index>{1, 1, 5}), 2);
  EXPECT_THROW(torus_cut_links(std::vector<Index>{1, 1}), Error);
  EXPECT_THROW(torus_cut_links(std::vector<Index>{0, 4}), Error);
}

// Every node sends the same to every node; shortest ways along one dimension after the other cross a link this often.
TEST(ExascaleModel, an_exchange_keeps_the_cut_busy_for_an_eighth_of_equation_five) {
  const std::vector<Index> cube{8, 8, 8};
  EXPECT_NEAR(torus_exchange_time_s(100, cube, link) / torus_cut_time_s(100, cube, link), 1.0 / 8, 1e-12);
  const std::vector<Index> odd{17, 8, 24};
  EXPECT_LE(torus_exchange_time_s(100, odd, link), torus_cut_time_s(100, odd, link) / 8 * (1 + 1e-12));
  double crossings = 0;  // of the middle of a ring of 17, one way, by one word from each to each
  for (int from = 0; from < 17; ++from)
    for (int to = 0; to < 17; ++to) crossings += from < 8 && to >= 8 ? 1 : 0;
  const std::vector<Index> ring{17};
  const double words_each = 1e6 / 17 / 17;
  EXPECT_NEAR(torus_exchange_time_s(100, ring, 16), 2 * crossings * words_each / 2, 1e-6);
}

}  // namespace
