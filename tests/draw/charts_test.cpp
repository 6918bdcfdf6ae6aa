// Charts of numbers: where ticks stand, what is labelled, what is refused.

#include <gtest/gtest.h>

#include "draw/chart.hpp"
#include "kallima/draw.hpp"
#include "well_formed.hpp"

namespace kallima {
namespace {

BarChart bars() {
  return {.title = "Times & <more>",
          .axis = "time in s",
          .parts = {"memory", "network"},
          .groups = {{"2010", {{"CPU", {1, 2}}, {"GPU", {0.5, 4}}}}, {"2020", {{"CPU", {0.25}}}}}};
}

LineChart lines() {
  return {.title = "Ratio",
          .x_axis = "year",
          .y_axis = "T_mem / T_net",
          .y_scale = AxisScale::logarithmic,
          .series = {{"torus", {{2010, 3}, {2020, 0.11}}}, {"fat tree", {{2010, 3.1}, {2020, 0.1}}}},
          .levels = {{1, "balance"}}};
}

TEST(AxisScale, ticks_are_round_and_inside) {
  EXPECT_EQ(round_ticks(0, 720, 8), (std::vector<double>{0, 100, 200, 300, 400, 500, 600, 700}));
  EXPECT_EQ(round_ticks(2010, 2020, 5), (std::vector<double>{2010, 2012, 2014, 2016, 2018, 2020}));
  EXPECT_EQ(round_ticks(0, 0.5, 5), (std::vector<double>{0, 0.1, 0.2, 0.3, 0.4, 0.5}));
  EXPECT_EQ(round_ticks(3, 3, 5), (std::vector<double>{3}));
  EXPECT_LE(round_ticks(1e20, 1e20 + 65536, 8).size(), 17u);
}

TEST(AxisScale, decades_are_split_where_they_are_few) {
  EXPECT_EQ(decade_ticks(1, 10), (std::vector<double>{1, 2, 5, 10}));
  EXPECT_EQ(decade_ticks(1, 1e4).size(), 5u);
}

TEST(AxisScale, logarithmic_rulers_give_every_decade_the_same_room) {
  const Ruler ruler{.low = 0.1, .high = 10, .from = 0, .to = 200, .scale = AxisScale::logarithmic};
  EXPECT_NEAR(ruler.place(1), 100, 1e-9);
  EXPECT_NEAR(ruler.place(0.1), 0, 1e-9);
}

TEST(AxisScale, numbers_are_written_as_people_do) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(2048), "2048");
  EXPECT_EQ(number_text(1234567), "1,234,567");
  EXPECT_EQ(number_text(0.25), "0.25");
  EXPECT_EQ(short_number(1234.5), "1230");
  EXPECT_EQ(short_number(0.0123456), "0.0123");
}

TEST(Units, durations_have_words_that_fit_their_unit) {
  EXPECT_EQ(duration_text(0.004, "s"), "4.00 ms");
  EXPECT_EQ(duration_text(1, "node"), "1 node");
  EXPECT_EQ(duration_text(73728, "node"), "73,728 nodes");
  EXPECT_EQ(time_scale("flop", 1).axis, "time in flops");
  EXPECT_EQ(time_scale("s", 2e-5).axis, "time in us");
}

TEST(Bars, every_value_is_a_rectangle_and_every_stack_has_its_sum) {
  const std::string svg = draw_bars(bars());
  EXPECT_EQ(xml_problem(svg), "");
  EXPECT_EQ(occurrences(svg, "class=\"f-blue\""), 1u + 3);
  EXPECT_EQ(occurrences(svg, "class=\"f-vermilion\""), 1u + 2);
  for (const char* words :
       {">3<", ">4.5<", ">0.25<", ">2020<", "GPU: network 4<", "time in s", "Times &amp; &lt;more&gt;"})
    EXPECT_NE(svg.find(words), std::string::npos) << words;
}

TEST(Bars, heights_are_in_proportion) {
  BarChart chart = bars();
  chart.groups = {{"g", {{"a", {1}}, {"b", {4}}}}};
  const std::string svg = draw_bars(chart);
  std::vector<double> heights;
  for (std::size_t at = svg.find("<title>"); at != std::string::npos; at = svg.find("<title>", at + 1)) {
    const std::size_t h = svg.rfind("height=\"", at) + 8;
    heights.push_back(std::stod(svg.substr(h)));
  }
  ASSERT_EQ(heights.size(), 2u);
  EXPECT_NEAR(heights[1], 4 * heights[0], 0.05);
}

TEST(Bars, what_is_no_length_is_refused) {
  BarChart chart = bars();
  chart.groups[0].bars[0].values = {-1};
  EXPECT_THROW(draw_bars(chart), Error);
  chart.groups[0].bars[0].values = {1, 2, 3};
  EXPECT_THROW(draw_bars(chart), Error);
  EXPECT_THROW(draw_bars({}), Error);
}

TEST(Lines, curves_are_named_where_they_end_and_names_do_not_overlap) {
  const std::string svg = draw_lines(lines());
  EXPECT_EQ(xml_problem(svg), "");
  for (const char* words : {"balance", ">2010<", ">0.1<", "torus: 0.11 at 2020"})
    EXPECT_NE(svg.find(words), std::string::npos);
  std::vector<double> places;
  for (const char* name : {">torus</text>", ">fat tree</text>"})
    places.push_back(std::stod(svg.substr(svg.rfind(" y=\"", svg.rfind(name)) + 4)));
  EXPECT_GE(places[1] - places[0], 15 - 0.02);
}

TEST(Lines, logarithmic_axes_refuse_what_has_no_logarithm) {
  LineChart chart = lines();
  chart.series[0].points[0].y = 0;
  EXPECT_THROW(draw_lines(chart), Error);
  chart.y_scale = AxisScale::linear;
  EXPECT_EQ(xml_problem(draw_lines(chart)), "");
  EXPECT_THROW(draw_lines({}), Error);
}

TEST(Lines, one_point_is_enough) {
  LineChart chart = lines();
  chart.series = {{"lonely", {{1, 1}}}, {"empty", {}}};
  EXPECT_EQ(xml_problem(draw_lines(chart)), "");
}

}  // namespace
}  // namespace kallima
