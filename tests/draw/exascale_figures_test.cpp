// The figures show all of their data, and lines that coincide share a label.

#include <gtest/gtest.h>

#include "kallima/figures.hpp"

using namespace kallima;
using namespace kallima::exascale;

namespace {

bool shows(const std::string& svg, const std::string& text) { return svg.find(text) != std::string::npos; }

TEST(ExascaleFigures, every_machine_and_its_size_are_shown) {
  const std::vector<Bars> groups{{"as printed", scenarios(problem_side, lanes_2020(Column::printed))}};
  for (const Theme theme : {Theme::automatic, Theme::light, Theme::dark}) {
    const std::string svg = draw_figure5(groups, problem_side, theme);
    for (const char* text : {"GPU", "CPU-1", "CPU-2", "CPU-3", "133k", "1.33M", "memory", "network", "21000"})
      EXPECT_TRUE(shows(svg, text)) << text;
  }
}

TEST(ExascaleFigures, lines_that_coincide_share_a_label) {
  const std::string svg = draw_figure6({{2010, 2011}, {{"a", {1, 2}}, {"b", {2, 3}}, {"c", {1, 2}}}});
  EXPECT_TRUE(shows(svg, "a; c"));
  EXPECT_TRUE(shows(svg, "b"));
  EXPECT_FALSE(shows(svg, "a; b"));
}

TEST(ExascaleFigures, six_dimensions_are_worth_an_ideal_mapping_on_three) {
  EXPECT_TRUE(shows(draw_figure6(memory_to_network_2010_2020()), "3-D torus, ideal; 6-D torus"));
}

}  // namespace
