// Increments of output-driven schedules against Sahay's formula, and the figures made of them.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "kallima/draw.hpp"
#include "well_formed.hpp"

namespace kallima {
namespace {

using Node = ButterflyNode;

std::vector<Index> times(const std::vector<int>& permutation) {
  std::vector<Index> all;
  for (const OutputIncrement& i : butterfly_increments(permutation)) all.push_back(i.time);
  return all;
}

// t_a = (m - 1) + sum of b_i (i + 1) 2^i, b_i the binary digits of a.
Index formula(Index m, Index a) {
  Index time = m - 1;
  for (Index i = 0; a >> i != 0; ++i)
    if ((a >> i & 1) != 0) time += (i + 1) * (Index{1} << i);
  return time;
}

// At every node of the tree of outputs, either half may come first.
std::vector<int> binary_permutation(int size, std::mt19937& random) {
  if (size == 1) return {0};
  std::vector<int> all;
  const int first = static_cast<int>(random() % 2) * size / 2;
  for (const int offset : {first, size / 2 - first})
    for (const int output : binary_permutation(size / 2, random)) all.push_back(output + offset);
  return all;
}

TEST(Increments, figure_two_of_the_paper) {
  EXPECT_EQ(times({2, 3, 0, 1, 6, 7, 4, 5}), (std::vector<Index>{7, 8, 11, 12, 19, 20, 23, 24}));
  const auto increments = butterfly_increments({2, 3, 0, 1, 6, 7, 4, 5});
  EXPECT_EQ(increments[0].nodes, (std::vector<Node>{{0, 1}, {1, 1}, {2, 1}, {3, 1}, {2, 2}, {3, 2}, {2, 3}}));
  EXPECT_EQ(increments[1].nodes, (std::vector<Node>{{3, 3}}));
  EXPECT_EQ(increments[2].nodes, (std::vector<Node>{{0, 2}, {1, 2}, {0, 3}}));
}

TEST(Increments, any_binary_permutation_makes_outputs_at_the_times_of_the_formula) {
  std::mt19937 random(1);
  for (const int m : {1, 2, 4, 16, 64, 256})
    for (int repeat = 0; repeat < 5; ++repeat) {
      const std::vector<Index> found = times(binary_permutation(m, random));
      for (int a = 0; a < m; ++a) EXPECT_EQ(found[static_cast<std::size_t>(a)], formula(m, a)) << m << " " << a;
    }
}

TEST(Increments, every_node_is_processed_once_in_any_order_and_none_is_early) {
  std::mt19937 random(2);
  std::vector<int> order(32);
  std::iota(order.begin(), order.end(), 0);
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::shuffle(order.begin(), order.end(), random);
    std::set<std::pair<int, int>> seen;
    const auto increments = butterfly_increments(order);
    for (std::size_t a = 0; a < order.size(); ++a) {
      for (const Node& n : increments[a].nodes) EXPECT_TRUE(seen.insert({n.row, n.column}).second);
      EXPECT_EQ(increments[a].nodes.back(), (Node{order[a], 5}));
      EXPECT_GE(increments[a].time, formula(32, static_cast<Index>(a)));
    }
    EXPECT_EQ(seen.size(), 32u * 5);
  }
}

TEST(Increments, what_is_no_permutation_is_refused) {
  for (const std::vector<int>& bad : std::vector<std::vector<int>>{{}, {0, 1, 2}, {0, 0}, {0, 2}, {-1, 0}})
    EXPECT_THROW(butterfly_increments(bad), Error);
}

TEST(Butterfly, the_bare_graph_has_all_nodes_edges_and_binary_names) {
  const std::string svg = draw_butterfly({.inputs = 8});
  EXPECT_EQ(xml_problem(svg), "");
  EXPECT_EQ(occurrences(svg, "<circle"), 8u * 4);
  EXPECT_EQ(occurrences(svg, "<line"), 2u * 8 * 3);
  for (const char* words : {">000<", ">101<", ">111<", ">column 3<", "An 8-input butterfly"})
    EXPECT_NE(svg.find(words), std::string::npos) << words;
}

TEST(Butterfly, an_order_adds_times_and_destinations) {
  const std::string svg = draw_butterfly({.inputs = 8, .permutation = {2, 3, 0, 1, 6, 7, 4, 5}, .ranks = 4});
  EXPECT_EQ(xml_problem(svg), "");
  for (const char* words : {">7<", ">19<", ">24<", ">1st, to rank 1<", ">8th, to rank 2<", "ready at"})
    EXPECT_NE(svg.find(words), std::string::npos) << words;
  EXPECT_EQ(occurrences(svg, "<circle"), 8u * 4 + 24);
}

TEST(Butterfly, sizes_that_make_no_figure_are_refused) {
  for (const int inputs : {-8, 0, 1, 6, 512}) EXPECT_THROW(draw_butterfly({.inputs = inputs}), Error);
  EXPECT_THROW(draw_butterfly({.inputs = 8, .permutation = {0, 1}}), Error);
  EXPECT_THROW(draw_butterfly({.inputs = 8, .ranks = 3}), Error);
  EXPECT_EQ(xml_problem(draw_butterfly({.inputs = 256})), "");
}

}  // namespace
}  // namespace kallima
