#pragma once
// What charts of numbers have in common: a title and legend above, an axis of values at the left with lines across, and
// words below.

#include <string>
#include <vector>

#include "draw/legend.hpp"
#include "draw/scale.hpp"
#include "draw/svg.hpp"

namespace kallima {

inline constexpr double chart_margin = 16;

double draw_chart_head(Svg& svg, const std::string& title, double width, const std::vector<LegendEntry>& entries);
void draw_value_axis(Svg& svg, const Box& area, const Ruler& ruler, const std::string& words);
double draw_caption(Svg& svg, double top, double width, const std::string& words);  // where it ends

std::string short_number(double value);  // three significant digits

}  // namespace kallima
