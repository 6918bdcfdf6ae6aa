#pragma once
// Writes one SVG picture. Shapes are named by their CSS classes only, so that a picture can be light or dark; texts are
// escaped here and nowhere else; a tooltip is what a viewer shows on hovering. The colours of all pictures are CSS
// classes, too: hues are Okabe and Ito's, which people with any colour vision can tell apart, lightened for dark
// backgrounds. A hue such as "blue" comes as three classes: f-blue fills, t-blue fills with a tint that ink can be read
// on, l-blue draws lines.

#include <fmt/format.h>

#include <array>
#include <span>
#include <string_view>

#include "kallima/draw.hpp"

namespace kallima {

inline constexpr std::array<std::string_view, 8> hues{"blue",   "vermilion", "green", "orange",
                                                      "purple", "sky",       "olive", "grey"};

// Stages of a trace do without green and vermilion, which say whether its messages are hidden.
inline constexpr std::array<std::string_view, 6> stage_hues{"blue", "orange", "purple", "sky", "olive", "grey"};

std::string_view theme_name(Theme theme);
std::string style_sheet(Theme theme);  // rules for elements inside one of class k-NAME
std::string hatching(Theme theme);     // definition of the pattern that class `idle` fills with

struct Rectangle {
  double x = 0, y = 0;
  double width = 0, height = 0;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
};

enum class Anchor { start, middle, end };

class Svg {
 public:
  Svg(double width, Theme theme, std::string_view title)  // the title is for screen readers
      : width_(width), theme_(theme), title_(escaped(title)) {}

  void rect(const Rectangle& box, std::string_view classes, std::string_view tooltip = {});  // "idle" is hatched
  void circle(const Point& centre, double radius, std::string_view classes, std::string_view tooltip = {}) {
    element("circle", {{"cx", centre.x}, {"cy", centre.y}, {"r", radius}}, "", classes, tooltip);
  }
  void line(const Point& from, const Point& to, std::string_view classes) {
    element("line", {{"x1", from.x}, {"y1", from.y}, {"x2", to.x}, {"y2", to.y}}, "", classes);
  }
  void path(std::string_view commands, std::string_view classes, std::string_view tooltip = {}) {
    element("path", {}, fmt::format(" d=\"{}\"", commands), classes, tooltip);
  }
  void polygon(std::span<const Point> corners, std::string_view classes);
  void text(const Point& at, std::string_view text, std::string_view classes = {}, Anchor anchor = Anchor::start);
  void upward_text(const Point& at, std::string_view text, std::string_view classes = {});  // centred, read from below

  // Lines of text that are `pitch` apart and at most `width` long, each below `at`, which moves down with them.
  void paragraph(Point& at, const std::string& text, double width, double pitch, std::string_view classes,
                 double size = 12, Anchor anchor = Anchor::start);

  std::string finish(double height) const;

 private:
  using Numbers = std::initializer_list<std::pair<const char*, double>>;
  void element(std::string_view name, Numbers numbers, std::string_view attributes, std::string_view classes,
               std::string_view tooltip = {});

  double width_;
  Theme theme_;
  std::string title_;
  std::string body_;
};

std::string coordinate(double value);                        // short: two decimals, no trailing zeros
double text_width(std::string_view text, double size = 12);  // an estimate on the safe side
std::vector<std::string> wrapped(const std::string& text, double width, double size = 12);  // at spaces, into lines

}  // namespace kallima
