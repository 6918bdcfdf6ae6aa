#pragma once
// What charts of numbers have in common: from numbers to places on paper, where an axis has its ticks and how numbers
// and times are written beside them; title and legend above, an axis of values with lines across, a caption below.

#include "draw/svg.hpp"

namespace kallima {

inline constexpr double chart_margin = 16;

std::string number_text(double value);   // "12,000", "0.25", "1e-9": what a reader wants beside a tick
std::string short_number(double value);  // three significant digits

// Multiples of 1, 2 or 5 times a power of ten inside [low, high], about `wanted` of them.
std::vector<double> round_ticks(double low, double high, int wanted);

// Powers of ten inside [low, high]; where there are fewer than four, their multiples by 2 and 5 as well.
std::vector<double> decade_ticks(double low, double high);

// A stretch of numbers on a stretch of paper, [low, high] on [from, to].
struct Ruler {
  double low = 0, high = 1;
  double from = 0, to = 1;
  AxisScale scale = AxisScale::linear;
  double place(double value) const;
  std::vector<double> ticks(int wanted) const {
    return scale == AxisScale::linear ? round_ticks(low, high, wanted) : decade_ticks(low, high);
  }
};

// The ruler over values that ends at ticks; linear ones start at 0 if `from_zero`.
Ruler fitted(const Ruler& ruler, const std::vector<double>& values, bool from_zero);

// How the times of one picture are written, all in the same unit: seconds take a prefix, anything else is counted.
struct TimeScale {
  double factor = 1;  // from the trace's unit to the written one
  std::string axis;   // "time in ms", "time in butterfly nodes"
};

TimeScale time_scale(const std::string& unit, double longest);
std::string duration_text(double duration, const std::string& unit);  // "4.00 ms", "1,279 nodes"

// The key to a picture's colours: small squares with a label each, in as many rows as they need.
struct LegendEntry {
  std::string label;
  std::string classes;  // of the square
};

double draw_legend(Svg& svg, const Point& corner, double width, const std::vector<LegendEntry>& entries);  // its height

double draw_chart_head(Svg& svg, const std::string& title, double width, const std::vector<LegendEntry>& entries);
void draw_value_axis(Svg& svg, const Rectangle& area, const Ruler& ruler, const std::string& label);
// Ticks below a line at height y, at the places of `ticks` times `unit` on the ruler.
void draw_ticks(Svg& svg, const Ruler& ruler, double y, const std::vector<double>& ticks, double unit = 1);
double draw_caption(Svg& svg, double top, double width, const std::string& caption);  // where it ends

}  // namespace kallima
