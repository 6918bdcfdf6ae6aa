#pragma once
// One row of a timeline, painted.

#include <functional>
#include <string>
#include <vector>

#include "draw/lanes.hpp"
#include "draw/scale.hpp"
#include "draw/svg.hpp"

namespace kallima {

struct Look {
  std::string classes;
  std::string tooltip;
};

struct Row {
  double y = 0;
  double height = 0;
};

void draw_stretches(Svg& svg, const Ruler& time, const Row& row, const std::vector<Stretch>& stretches,
                    const std::function<Look(int what)>& look);

}  // namespace kallima
