#pragma once
// The key to a picture's colours: small squares with a word each, in as many rows as they need.

#include <string>
#include <vector>

#include "draw/svg.hpp"

namespace kallima {

struct LegendEntry {
  std::string words;
  std::string classes;  // of the square; "idle" is hatched
};

double draw_legend(Svg& svg, const Point& corner, double width, const std::vector<LegendEntry>& entries);  // its height

}  // namespace kallima
