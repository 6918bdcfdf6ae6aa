// The hiding curve as a picture: every line that was measured is there, named, and no other.

#include <gtest/gtest.h>

#include "kallima/figures.hpp"
#include "well_formed.hpp"

namespace kallima {
namespace {

std::vector<HidingPoint> points() {
  return {{0.5, 0.2, 1.2, 1.25, 1.4, 1.24, 2.8, 1.5, {}}, {4, 0.2, 0.16, 0.23, 0.37, 0.24, 0.85, 0.57, {}}};
}

TEST(HidingFigure, names_every_line_that_was_measured) {
  const std::string svg = draw_hiding(points(), {.title = "FFT of 256^3 & more"});
  EXPECT_EQ(xml_problem(svg), "");
  for (const char* words : {">Kallima</text>", ">Kallima without overlap</text>", ">computation alone</text>",
                            ">communication alone</text>", ">maximum of the two</text>", ">sum of the two</text>",
                            ">FFTW-MPI, transposed output</text>", ">predicted (LogGP)</text>", "256^3 &amp; more",
                            "Gbit/s", ">0.5</text>"})
    EXPECT_NE(svg.find(words), std::string::npos) << words;
  EXPECT_EQ(svg.find("scrambled"), std::string::npos);
}

TEST(HidingFigure, kallima_is_bold_and_its_prediction_dashed) {
  const std::string svg = draw_hiding(points(), {});
  EXPECT_NE(svg.find("class=\"l-blue bold\"><title>Kallima<"), std::string::npos);
  EXPECT_NE(svg.find("class=\"mark dash\"><title>predicted"), std::string::npos);
  EXPECT_EQ(occurrences(svg, "<polygon "), 1u);
}

TEST(HidingFigure, one_rate_is_enough_and_none_is_refused) {
  EXPECT_EQ(xml_problem(draw_hiding(std::vector{points()[0]}, {})), "");
  EXPECT_THROW(draw_hiding({}, {}), Error);
}

}  // namespace
}  // namespace kallima
