// Curves over a common axis. Each is named where it ends, so that nobody has to match colours with a legend; names that
// would overlap are moved apart, the legend stays for those who print.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/check.hpp"
#include "draw/chart.hpp"
#include "draw/palette.hpp"

namespace kallima {
namespace {

constexpr double left = 84, below = 48, name_pitch = 15, fewest_names_width = 24, least_height = 120;

std::string_view hue(std::size_t series) { return hues[series % hues.size()]; }

// What a curve or a level is called, and how high that is written.
struct Name {
  double y = 0;
  std::string words;
  std::string classes;
};

class Lines {
 public:
  explicit Lines(const LineChart& chart) : chart_(chart), svg_(chart.width, chart.theme, chart.title) {}
  std::string draw();

 private:
  void measure();
  void draw_x_axis();
  void draw_level(const LineChart::Level& level);
  void draw_series(std::size_t number);
  std::vector<Name> names() const;
  void draw_names();
  double names_width() const;

  const LineChart& chart_;
  Svg svg_;
  Box area_;
  Ruler x_, y_;
};

double Lines::names_width() const {
  double widest = fewest_names_width;
  for (const auto& series : chart_.series) widest = std::max(widest, text_width(series.label) + 16);
  for (const auto& level : chart_.levels) widest = std::max(widest, text_width(level.label) + 16);
  return std::min(widest, chart_.width / 2);
}

void Lines::measure() {
  std::vector<LegendEntry> entries;
  for (std::size_t i = 0; i < chart_.series.size(); ++i)
    entries.push_back({chart_.series[i].label, fmt::format("f-{}", hue(i))});
  if (entries.size() < 2) entries.clear();
  const double top = draw_chart_head(svg_, chart_.title, chart_.width, entries);
  area_ = {left, top, chart_.width - left - names_width() - chart_margin,
           std::max(chart_.height - top - below, least_height)};
  std::vector<double> xs, ys;
  for (const auto& level : chart_.levels) ys.push_back(level.y);
  for (const auto& series : chart_.series)
    for (const auto& p : series.points) {
      xs.push_back(p.x);
      ys.push_back(p.y);
    }
  x_ = fitted_ruler(xs, chart_.x_scale, false);
  y_ = fitted_ruler(ys, chart_.y_scale, true);
  if (!xs.empty()) {  // years need no room before the first
    const auto [least, most] = std::minmax_element(xs.begin(), xs.end());
    x_.low = *least;
    x_.high = *most;
  }
  x_.from = area_.x;
  x_.to = area_.x + area_.width;
  y_.from = area_.y + area_.height;
  y_.to = area_.y;
}

void Lines::draw_x_axis() {
  const double y = area_.y + area_.height;
  svg_.line({area_.x, y}, {area_.x + area_.width, y}, "axis");
  for (const double tick : x_.ticks(8)) {
    svg_.line({x_.place(tick), y}, {x_.place(tick), y + 5}, "axis");
    svg_.text({x_.place(tick), y + 18}, number_text(tick), "", Anchor::middle);
  }
  svg_.text({area_.x + area_.width / 2, y + 38}, chart_.x_axis, "muted", Anchor::middle);
}

void Lines::draw_level(const LineChart::Level& level) {
  const double y = y_.place(level.y);
  svg_.line({area_.x, y}, {area_.x + area_.width, y}, "mark dash");
}

void Lines::draw_series(std::size_t number) {
  const auto& series = chart_.series[number];
  std::string path;
  for (const auto& p : series.points)
    path += fmt::format("{}{} {}", path.empty() ? "M" : "L", coordinate(x_.place(p.x)), coordinate(y_.place(p.y)));
  if (!path.empty()) svg_.path(path, fmt::format("l-{}", hue(number)), series.label);
  for (const auto& p : series.points)
    svg_.circle({x_.place(p.x), y_.place(p.y)}, 3, fmt::format("f-{}", hue(number)),
                fmt::format("{}: {} at {}", series.label, short_number(p.y), number_text(p.x)));
}

std::vector<Name> Lines::names() const {
  std::vector<Name> all;
  for (const auto& level : chart_.levels) all.push_back({y_.place(level.y), level.label, "solid"});
  for (std::size_t i = 0; i < chart_.series.size(); ++i) {
    const auto& points = chart_.series[i].points;
    if (!points.empty())
      all.push_back({y_.place(points.back().y), chart_.series[i].label, fmt::format("f-{}", hue(i))});
  }
  std::stable_sort(all.begin(), all.end(), [](const Name& a, const Name& b) { return a.y < b.y; });
  return all;
}

// From above to below, each at least one line under the one before; those that run out of the area move up again.
void Lines::draw_names() {
  std::vector<Name> all = names();
  for (std::size_t k = 1; k < all.size(); ++k) all[k].y = std::max(all[k].y, all[k - 1].y + name_pitch);
  double floor = area_.y + area_.height;
  for (std::size_t k = all.size(); k-- > 0; floor = all[k].y - name_pitch) {
    all[k].y = std::min(all[k].y, floor);
    const double x = area_.x + area_.width + 8;
    svg_.rect({x, all[k].y - 4, 3, 9}, all[k].classes);
    svg_.text({x + 8, all[k].y + 4}, all[k].words);
  }
}

std::string Lines::draw() {
  measure();
  draw_value_axis(svg_, area_, y_, chart_.y_axis);
  draw_x_axis();
  for (const auto& level : chart_.levels) draw_level(level);
  for (std::size_t i = 0; i < chart_.series.size(); ++i) draw_series(i);
  draw_names();
  return svg_.finish(draw_caption(svg_, area_.y + area_.height + below - 4, chart_.width, chart_.caption));
}

}  // namespace

std::string draw_lines(const LineChart& chart) {
  require(!chart.series.empty(), "there are no lines to draw (no series was given) give at least one");
  return Lines(chart).draw();
}

}  // namespace kallima
