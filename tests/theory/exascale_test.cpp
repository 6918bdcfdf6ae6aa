// What follows from the paper's numbers, what does not, and that the table says so.

#include "kallima/exascale.hpp"

#include <gtest/gtest.h>

#include <algorithm>

using namespace kallima;
using namespace kallima::exascale;

namespace {

const std::vector<Claim>& table() {
  static const std::vector<Claim> all = claims();
  return all;
}

const Claim& row(const std::string& claim) {
  const auto at =
      std::find_if(table().begin(), table().end(), [&](const Claim& c) { return c.claim.find(claim) == 0; });
  if (at == table().end()) throw Error("no row " + claim);
  return *at;
}

TEST(Exascale, doubling_times_give_growth) {
  EXPECT_DOUBLE_EQ(growth(10, 2), 32);
  EXPECT_DOUBLE_EQ(growth(0, 1.7), 1);
  EXPECT_NEAR(growth(10, 1.7), 59.0, 0.05);
  EXPECT_DOUBLE_EQ(value_in(trend("C_CPU"), 2010), 50.4e9);
  EXPECT_DOUBLE_EQ(value_in(trend("Z_CPU"), 2020), 192e6);
  EXPECT_DOUBLE_EQ(printed_2020(trend("P_CPU")), 1.3e6);
  EXPECT_THROW(trend("C_TPU"), Error);
}

TEST(Exascale, nodes_of_2020_stand_in_both_columns) {
  const ComputeNode printed = node_2020(Lane::gpu, Column::printed);
  const ComputeNode extrapolated = node_2020(Lane::gpu, Column::extrapolated);
  EXPECT_DOUBLE_EQ(printed.memory_bytes_per_s, 1.4e12);
  EXPECT_NEAR(extrapolated.memory_bytes_per_s, 144e9 * 10.079, 1e9);
  EXPECT_DOUBLE_EQ(node_in(Lane::gpu, 2010).line_bytes, 128);
  EXPECT_NEAR(extrapolated.peak_flop_per_s / printed.peak_flop_per_s, 1, 0.02);
}

TEST(Exascale, scenarios_are_what_they_are_defined_to_be) {
  for (const Column column : {Column::printed, Column::extrapolated}) {
    for (const Reading reading : {Reading::printed, Reading::bytes_twice, Reading::bytes_twice_in_lines}) {
      const Lanes lanes = lanes_2020(column);
      const std::vector<System> s = scenarios(problem_side, lanes, reading);
      ASSERT_EQ(s.size(), 4u);
      EXPECT_DOUBLE_EQ(s[0].nodes * lanes.gpu.peak_flop_per_s, 4e18);
      EXPECT_DOUBLE_EQ(s[1].nodes * lanes.cpu.peak_flop_per_s, 4e18);
      EXPECT_NEAR(s[2].times.sum_s() / s[0].times.sum_s(), 1, 1e-12);
      EXPECT_NEAR(s[3].times.longest_s() / s[0].times.longest_s(), 1, 1e-12);
    }
  }
}

TEST(Exascale, bisection_finds_the_nodes_and_refuses_the_impossible) {
  EXPECT_NEAR(nodes_for([](double p) { return 8 / p; }, 2), 4, 1e-9);
  EXPECT_THROW(nodes_for([](double p) { return 8 / p; }, 9), Error);
}

TEST(Exascale, network_times_and_flops_follow_from_the_equations) {
  EXPECT_NEAR(*row("max{T_mem, T_net}").computed, 0.52, 0.005);
  EXPECT_NE(row("max{T_mem, T_net}").verdict, Verdict::differs);
  EXPECT_NEAR(*row("T_net of CPU-1").computed, 0.215, 0.001);
  EXPECT_TRUE(row("T_net of CPU-1").agrees());
  EXPECT_NEAR(*row("communication over flop time").computed, 1075, 1);
  EXPECT_TRUE(row("communication over flop time").agrees());
}

TEST(Exascale, what_needs_section_sixes_memory_time_does_not_follow) {
  for (const char* claim :
       {"rate of the FFT", "T_net/T_mem, GPU", "CPU-1 faster than GPU", "processors of CPU-2", "peak of CPU-2",
        "processors of CPU-3", "processors of CPU-3 over", "largest T_net of CPU"}) {
    EXPECT_EQ(row(claim).verdict, Verdict::differs) << claim;
    EXPECT_NE(row(claim).note.find("fits after the fact"), std::string::npos) << claim;
  }
  EXPECT_NEAR(*row("T_net/T_mem, GPU").computed / 2.8, 12.4, 0.05);
}

// The digits of five claims come back when the word size is applied twice and the cache counted in lines.
TEST(Exascale, the_fit_in_lines_gives_the_digits_of_section_six) {
  const std::vector<System> s = scenarios(problem_side, lanes_2020(Column::printed), Reading::bytes_twice_in_lines);
  EXPECT_NEAR(s[0].times.network_s / s[0].times.memory_s, 2.8, 0.05);
  EXPECT_NEAR(flop_count(problem_side) / s[0].times.sum_s() * 1e-15, 2.8, 0.05);
  EXPECT_NEAR(s[2].nodes, 350e3, 500);
  EXPECT_NEAR(s[3].nodes / s[0].nodes, 2.25, 0.1);
}

TEST(Exascale, slips_of_table_one_are_found) {
  EXPECT_EQ(row("rho_CPU, 6 x 40.7").verdict, Verdict::differs);
  EXPECT_NEAR(*row("rho_CPU, 6 x 40.7").computed, 244.2, 1e-9);
  EXPECT_EQ(row("P_CPU/P_GPU of 2020").verdict, Verdict::differs);
  EXPECT_EQ(row("growth of nodes").verdict, Verdict::differs);
  EXPECT_EQ(row("P_CPU, 79,400 x 17.4").verdict, Verdict::differs);
  EXPECT_TRUE(row("P_GPU, 7,770 x 17.4").agrees());
  EXPECT_EQ(row("the printed 2.8 PF/s").verdict, Verdict::differs);
  EXPECT_NEAR(*row("the printed 2.8 PF/s").computed, 0.07, 1e-12);
}

TEST(Exascale, every_cell_of_table_one_is_judged) {
  const auto count = [](const char* where) {
    return std::count_if(table().begin(), table().end(), [&](const Claim& c) { return c.where == where; });
  };
  EXPECT_EQ(count("Table 1, value"), 15);
  EXPECT_EQ(count("Table 1, factor"), 9 + 1);
  EXPECT_EQ(count("Table 1, 2010"), 2);
  EXPECT_EQ(count("Table 1, 2020"), 3);
}

TEST(Exascale, rows_are_whole) {
  for (const Claim& c : table()) {
    EXPECT_FALSE(c.section.empty() || c.claim.empty() || c.where.empty() || c.printed.empty()) << c.claim;
    EXPECT_EQ(c.computed.has_value(), c.verdict != Verdict::given) << c.claim;
    EXPECT_TRUE(c.computed || !c.difference) << c.claim;
    EXPECT_GT(c.printed_value, 0) << c.claim;
  }
}

TEST(Exascale, claims_answer_to_n) {
  const auto at = [](const std::vector<Claim>& all) {
    return *std::find_if(all.begin(), all.end(), [](const Claim& c) { return c.unit == "s"; })->computed;
  };
  EXPECT_NEAR(at(claims(42000)) / at(table()), 8, 1e-9);
  EXPECT_THROW(claims(1), Error);
}

TEST(Exascale, figure_six_falls_for_three_dimensions_and_rises_for_more) {
  const Ratios r = memory_to_network_2010_2020();
  ASSERT_EQ(r.years.size(), 11u);
  ASSERT_EQ(r.lines.size(), 5u);
  for (const Line& line : r.lines) {
    const bool falls = line.name == "3-D torus";
    for (std::size_t i = 1; i < r.years.size(); ++i)
      EXPECT_EQ(line.ratios[i] < line.ratios[i - 1], falls) << line.name << " " << r.years[i];
    EXPECT_LT(line.ratios.front(), 1) << line.name;
  }
  EXPECT_EQ(*row("\"well-balanced\"").computed, 4);
}

// Weakly scaled, equation (10) has no n left but in the logarithm, which the caches hold at one.
TEST(Exascale, figure_six_is_equation_ten) {
  const Ratios r = memory_to_network_2010_2020();
  const double peak = value_in(trend("R_peak"), 2015);
  EXPECT_NEAR(r.lines[0].ratios[5], memory_to_network(4096, peak, node_in(Lane::cpu, 2015), kappa_bisection(3)), 1e-12);
}

}  // namespace
