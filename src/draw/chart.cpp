// Values run upwards, so the ruler of a value axis goes from the bottom of the area to its top.

#include "draw/chart.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kallima {

std::string short_number(double value) {
  if (value == 0 || !std::isfinite(value)) return number_text(value);
  const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - 2);
  return number_text(unit < 1 ? std::round(value / unit) / std::round(1 / unit) : std::round(value / unit) * unit);
}

double draw_chart_head(Svg& svg, const std::string& title, double width, const std::vector<LegendEntry>& entries) {
  double y = chart_margin;
  for (const std::string& line : wrapped(title, width - 2 * chart_margin, 16))
    svg.text({chart_margin, y += 16}, line, "title");
  y += title.empty() ? 0 : 14;
  return y + draw_legend(svg, {chart_margin, y}, width - 2 * chart_margin, entries) + 14;
}

void draw_value_axis(Svg& svg, const Box& area, const Ruler& ruler, const std::string& words) {
  for (const double tick : ruler.ticks(5)) {
    const double y = ruler.place(tick);
    svg.line({area.x, y}, {area.x + area.width, y}, "grid");
    svg.text({area.x - 8, y + 4}, number_text(tick), "", Anchor::end);
  }
  svg.line({area.x, area.y}, {area.x, area.y + area.height}, "axis");
  svg.upward_text({chart_margin + 10, area.y + area.height / 2}, words, "muted");
}

double draw_caption(Svg& svg, double top, double width, const std::string& words) {
  for (const std::string& line : wrapped(words, width - 2 * chart_margin))
    svg.text({chart_margin, top += 16}, line, "muted");
  return top + chart_margin;
}

}  // namespace kallima
