#pragma once
// The names of curves, written beside their ends. Names that would overlap are moved apart and tied to their curves.

#include <string>
#include <vector>

#include "draw/svg.hpp"

namespace kallima {

struct LineName {
  double end = 0;  // how high the curve ends
  std::string words = {};
  std::string fill = {};  // class of the mark before the words
  std::string line = {};  // class of what ties it to the curve; empty: nothing does
  std::string text = {};  // class of the words
};

double line_names_width(const std::vector<std::string>& words, double at_most);
void draw_line_names(Svg& svg, const Box& area, std::vector<LineName> names);

}  // namespace kallima
