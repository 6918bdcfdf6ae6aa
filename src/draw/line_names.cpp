#include "draw/line_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kallima {
namespace {

constexpr double pitch = 15, least_width = 24, tie_width = 18, margin = 16;

// From above to below, each at least one line under the one before; those that run out of the area move up again.
std::vector<double> places(const std::vector<LineName>& names, double floor) {
  std::vector<double> y;
  for (const LineName& name : names) y.push_back(y.empty() ? name.end : std::max(name.end, y.back() + pitch));
  for (std::size_t k = y.size(); k-- > 0; floor = y[k] - pitch) y[k] = std::min(y[k], floor);
  return y;
}

}  // namespace

double line_names_width(const std::vector<std::string>& words, double at_most) {
  double widest = least_width;
  for (const std::string& name : words) widest = std::max(widest, text_width(name) + margin + tie_width);
  return std::min(widest, at_most);
}

void draw_line_names(Svg& svg, const Box& area, std::vector<LineName> names) {
  std::stable_sort(names.begin(), names.end(), [](const LineName& a, const LineName& b) { return a.end < b.end; });
  const std::vector<double> y = places(names, area.y + area.height);
  const double edge = area.x + area.width, x = edge + tie_width + 4;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (!names[k].line.empty() && std::abs(y[k] - names[k].end) > 1)
      svg.path(fmt::format("M{} {}L{} {}", coordinate(edge + 5), coordinate(names[k].end), coordinate(x - 3),
                           coordinate(y[k])),
               names[k].line + " lead");
    svg.rect({x, y[k] - 4, 3, 9}, names[k].fill);
    svg.text({x + 8, y[k] + 4}, names[k].words, names[k].text);
  }
}

}  // namespace kallima
