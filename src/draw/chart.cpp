// Values run upwards, so the ruler of a value axis goes from the bottom of the area to its top. Entries of a legend are
// set from left to right like words on a page; one too long for a row gets a row of its own.

#include "draw/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kallima {
namespace {

constexpr double legend_row = 18, swatch = 12, gap = 6, between = 18;
constexpr double name_pitch = 15, least_width = 24, tie_width = 18;

// From above to below, each at least one line under the one before; those that run out of the area move up again.
std::vector<double> places(const std::vector<LineName>& names, double floor) {
  std::vector<double> y;
  for (const LineName& name : names) y.push_back(y.empty() ? name.end : std::max(name.end, y.back() + name_pitch));
  for (std::size_t k = y.size(); k-- > 0; floor = y[k] - name_pitch) y[k] = std::min(y[k], floor);
  return y;
}

}  // namespace

double draw_legend(Svg& svg, const Point& corner, double width, const std::vector<LegendEntry>& entries) {
  Point at = corner;
  for (const LegendEntry& entry : entries) {
    const double needed = swatch + gap + text_width(entry.label);
    if (at.x > corner.x && at.x + needed > corner.x + width) at = {corner.x, at.y + legend_row};
    svg.rect({at.x, at.y + 1, swatch, swatch}, entry.classes);
    svg.text({at.x + swatch + gap, at.y + 11}, entry.label);
    at.x += needed + between;
  }
  return entries.empty() ? 0 : at.y + legend_row - corner.y;
}

double draw_chart_head(Svg& svg, const std::string& title, double width, const std::vector<LegendEntry>& entries) {
  Point at{chart_margin, chart_margin};
  svg.paragraph(at, title, width - 2 * chart_margin, 16, "title", 16);
  at.y += title.empty() ? 0 : 14;
  return at.y + draw_legend(svg, at, width - 2 * chart_margin, entries) + 14;
}

void draw_value_axis(Svg& svg, const Rectangle& area, const Ruler& ruler, const std::string& label) {
  for (const double tick : ruler.ticks(5)) {
    const double y = ruler.place(tick);
    svg.line({area.x, y}, {area.right(), y}, "grid");
    svg.text({area.x - 8, y + 4}, number_text(tick), "", Anchor::end);
  }
  svg.line({area.x, area.y}, {area.x, area.bottom()}, "axis");
  svg.upward_text({chart_margin + 10, area.y + area.height / 2}, label, "muted");
}

void draw_ticks(Svg& svg, const Ruler& ruler, double y, const std::vector<double>& ticks, double unit) {
  svg.line({ruler.from, y}, {ruler.to, y}, "axis");
  for (const double tick : ticks) {
    const double x = ruler.place(tick / unit);
    svg.line({x, y}, {x, y + 5}, "axis");
    svg.text({x, y + 18}, number_text(tick), "", Anchor::middle);
  }
}

double draw_caption(Svg& svg, double top, double width, const std::string& caption) {
  Point at{chart_margin, top};
  svg.paragraph(at, caption, width - 2 * chart_margin, 16, "muted");
  return at.y + chart_margin;
}

double line_names_width(const std::vector<std::string>& labels, double at_most) {
  double widest = least_width;
  for (const std::string& label : labels) widest = std::max(widest, text_width(label) + chart_margin + tie_width);
  return std::min(widest, at_most);
}

void draw_line_names(Svg& svg, const Rectangle& area, std::vector<LineName> names) {
  std::ranges::stable_sort(names, {}, &LineName::end);
  const std::vector<double> y = places(names, area.bottom());
  const double x = area.right() + tie_width + 4;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (!names[k].line.empty() && std::abs(y[k] - names[k].end) > 1)
      svg.path(fmt::format("M{} {}L{} {}", coordinate(area.right() + 5), coordinate(names[k].end), coordinate(x - 3),
                           coordinate(y[k])),
               names[k].line + " lead");
    svg.rect({x, y[k] - 4, 3, 9}, names[k].fill);
    svg.text({x + 8, y[k] + 4}, names[k].label, names[k].text);
  }
}

}  // namespace kallima
