#pragma once
// Writes one SVG picture. Shapes are named by their CSS classes only (draw/palette.hpp says which there are), so that a
// picture can be light or dark; texts are escaped here and nowhere else; a tooltip is what a viewer shows on hovering.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kallima/draw.hpp"

namespace kallima {

struct Point {
  double x = 0;
  double y = 0;
};

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

enum class Anchor { start, middle, end };

class Svg {
 public:
  Svg(double width, Theme theme, std::string_view title);  // the title is for screen readers

  void open_group(std::string_view classes, std::string_view tooltip = {});
  void close_group();
  void rect(const Box& box, std::string_view classes, std::string_view tooltip = {});
  void idle(const Box& box);  // hatched
  void circle(const Point& centre, double radius, std::string_view classes, std::string_view tooltip = {});
  void line(const Point& from, const Point& to, std::string_view classes);
  void path(std::string_view commands, std::string_view classes, std::string_view tooltip = {});
  void polygon(std::span<const Point> corners, std::string_view classes);
  void text(const Point& at, std::string_view words, std::string_view classes = {}, Anchor anchor = Anchor::start);
  void upward_text(const Point& at, std::string_view words, std::string_view classes = {});  // centred, read from below

  std::string finish(double height) const;

 private:
  void close(std::string_view element, std::string_view tooltip);

  double width_;
  Theme theme_;
  std::string title_;
  std::string body_;
};

std::string coordinate(double value);                         // short: two decimals, no trailing zeros
double text_width(std::string_view words, double size = 12);  // an estimate on the safe side
std::vector<std::string> wrapped(const std::string& words, double width, double size = 12);  // at spaces, into lines

}  // namespace kallima
