// The SVG writer: whatever the texts, the file is XML; whatever the theme, its words can be read.

#include "draw/svg.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "well_formed.hpp"

namespace kallima {
namespace {

// The colour that a style sheet gives to `selector`, as the relative luminance of WCAG 2.
double luminance(const std::string& css, const std::string& selector) {
  const std::size_t at = css.find('#', css.find(selector));
  double sum = 0;
  const double weights[] = {0.2126, 0.7152, 0.0722};
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = std::stoi(css.substr(at + 1 + 2 * i, 2), nullptr, 16) / 255.0;
    sum += weights[i] * (c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
  }
  return sum;
}

double contrast(const std::string& css, const std::string& a, const std::string& b) {
  const double x = luminance(css, a), y = luminance(css, b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

TEST(Svg, texts_of_others_are_escaped) {
  EXPECT_EQ(escaped("a < b & \"c\" > d"), "a &lt; b &amp; &quot;c&quot; &gt; d");
  EXPECT_EQ(escaped("µs → é"), "µs → é");
}

TEST(Svg, what_xml_may_not_hold_is_replaced) {
  const std::string sign = "\xEF\xBF\xBD";
  EXPECT_EQ(escaped(std::string("a\x01z\x00", 4)), "a" + sign + "z" + sign);
  EXPECT_EQ(escaped("\xff"
                    "a\xc3"),
            sign + "a" + sign);
  EXPECT_EQ(escaped("\xed\xa0\x80"), sign + sign + sign);  // half a surrogate pair
  EXPECT_EQ(escaped("\xc0\xaf"), sign + sign);             // overlong
  EXPECT_EQ(escaped("two\nlines"), "two lines");
}

TEST(Svg, every_element_is_well_formed_whatever_its_words) {
  const std::string nasty = "</text><script>&\"'\x02\xfe";
  Svg svg(100, Theme::automatic, nasty);
  svg.rect({1, 2, 3, 4}, "f-blue", nasty);
  svg.rect({1, 2, 3, 4}, "idle");
  svg.circle({1, 2}, 3, "node", nasty);
  svg.line({1, 2}, {3, 4}, "axis");
  svg.path("M0 0h1", "mark", nasty);
  svg.polygon(std::vector<Point>{{0, 0}, {1, 1}}, "solid");
  svg.text({1, 2}, nasty, "muted", Anchor::end);
  svg.upward_text({1, 2}, nasty);
  const std::string text = svg.finish(50);
  EXPECT_EQ(xml_problem(text), "");
  EXPECT_EQ(text.find("<script"), std::string::npos);
}

TEST(Svg, the_checker_of_these_tests_notices) {
  for (const char* bad : {"<a>", "<a></b>", "<a b=c/>", "<a>&</a>", "<a>x < y</a>", "</a>"})
    EXPECT_NE(xml_problem(bad), "");
  EXPECT_EQ(xml_problem("<a b=\"c\"><d/>x &lt; y</a>"), "");
}

TEST(Svg, coordinates_are_short_and_always_numbers) {
  EXPECT_EQ(coordinate(12), "12");
  EXPECT_EQ(coordinate(0.5), "0.5");
  EXPECT_EQ(coordinate(1.0 / 3), "0.33");
  EXPECT_EQ(coordinate(-0.001), "0");
  EXPECT_EQ(coordinate(std::nan("")), "0");
}

TEST(Svg, only_the_automatic_theme_asks_the_reader) {
  EXPECT_NE(style_sheet(Theme::automatic).find("prefers-color-scheme: dark"), std::string::npos);
  EXPECT_EQ(style_sheet(Theme::light).find("@media"), std::string::npos);
  EXPECT_EQ(style_sheet(Theme::dark).find("@media"), std::string::npos);
}

TEST(Svg, pictures_have_their_own_background) {
  for (const Theme theme : {Theme::automatic, Theme::light, Theme::dark})
    EXPECT_NE(Svg(10, theme, "").finish(20).find("<rect class=\"bg\" width=\"10\" height=\"20\"/>"), std::string::npos);
}

TEST(Palette, words_and_bars_stand_out_from_the_background) {
  for (const Theme theme : {Theme::light, Theme::dark}) {
    const std::string css = style_sheet(theme);
    EXPECT_GE(contrast(css, " text{fill", ".bg{"), 7);
    EXPECT_GE(contrast(css, ".muted{", ".bg{"), 4.5);
    EXPECT_GE(contrast(css, ".exposed{", ".bg{"), 3);
    EXPECT_GE(contrast(css, ".hidden{", ".bg{"), 3);
    for (const std::string_view hue : hues)  // Okabe and Ito's orange and sky are light on purpose
      EXPECT_GE(contrast(css, ".f-" + std::string(hue) + "{", ".bg{"), 2) << hue;
  }
}

TEST(Palette, every_hue_has_its_three_classes) {
  for (const std::string_view hue : hues)
    for (const char* kind : {".f-", ".t-", ".l-"})
      EXPECT_NE(style_sheet(Theme::light).find(kind + std::string(hue) + "{"), std::string::npos);
}

}  // namespace
}  // namespace kallima
