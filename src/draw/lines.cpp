// Curves over a common axis. Each is named where it ends, so that nobody has to match colours with a legend, which
// stays for those who print.

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "draw/chart.hpp"
#include "draw/line_names.hpp"
#include "draw/palette.hpp"

namespace kallima {
namespace {

constexpr double left = 84, below = 48, least_height = 120, log_room = 1.12;

class Lines {
 public:
  explicit Lines(const LineChart& chart) : chart_(chart), svg_(chart.width, chart.theme, chart.title) {}
  std::string draw();

 private:
  void measure();
  void measure_values();
  void draw_x_axis();
  void draw_band();
  void draw_level(const LineChart::Level& level);
  void draw_series(std::size_t number);
  void draw_names();
  double names_width() const;
  std::string hue(std::size_t series) const;
  std::string fill_class(std::size_t series) const;
  std::string line_class(std::size_t series) const;

  const LineChart& chart_;
  Svg svg_;
  Box area_;
  Ruler x_, y_;
};

std::string Lines::hue(std::size_t series) const {
  const std::string& given = chart_.series[series].hue;
  return given.empty() ? std::string(hues[series % hues.size()]) : given;
}

std::string Lines::fill_class(std::size_t series) const { return hue(series) == "ink" ? "solid" : "f-" + hue(series); }

std::string Lines::line_class(std::size_t series) const {
  const std::string base = hue(series) == "ink" ? "mark" : "l-" + hue(series);
  switch (chart_.series[series].stroke) {
    case Stroke::thin:
      return base + " hair";
    case Stroke::bold:
      return base + " bold";
    case Stroke::dashed:
      return base + " dash";
    default:
      return base;
  }
}

double Lines::names_width() const {
  std::vector<std::string> words;
  for (const auto& series : chart_.series) words.push_back(series.label);
  for (const auto& level : chart_.levels) words.push_back(level.label);
  return line_names_width(words, chart_.width / 2);
}

void Lines::measure() {
  std::vector<LegendEntry> entries;
  for (std::size_t i = 0; i < chart_.series.size(); ++i) entries.push_back({chart_.series[i].label, fill_class(i)});
  if (entries.size() < 2 || !chart_.legend) entries.clear();
  const double top = draw_chart_head(svg_, chart_.title, chart_.width, entries);
  area_ = {left, top, chart_.width - left - names_width() - chart_margin,
           std::max(chart_.height - top - below, least_height)};
  measure_values();
  x_.from = area_.x;
  x_.to = area_.x + area_.width;
  y_.from = area_.y + area_.height;
  y_.to = area_.y;
}

void Lines::measure_values() {
  std::vector<double> xs, ys;
  for (const auto& level : chart_.levels) ys.push_back(level.y);
  for (const auto& series : chart_.series)
    for (const auto& p : series.points) {
      xs.push_back(p.x);
      ys.push_back(p.y);
    }
  for (const auto& stretch : chart_.band) ys.insert(ys.end(), {stretch.low, stretch.high});
  x_ = fitted_ruler(xs, chart_.x_scale, false);
  y_ = fitted_ruler(ys, chart_.y_scale, true);
  if (xs.empty()) return;
  const auto [first, last] = std::minmax_element(xs.begin(), xs.end());  // years need no room before the first
  x_.low = *first;
  x_.high = *last;
  if (!chart_.close_fit || chart_.y_scale == Scale::linear) return;
  const auto [least, most] = std::minmax_element(ys.begin(), ys.end());
  y_.low = *least / log_room;
  y_.high = *most * log_room;
}

void Lines::draw_x_axis() {
  const double y = area_.y + area_.height;
  svg_.line({area_.x, y}, {area_.x + area_.width, y}, "axis");
  for (const double tick : chart_.x_ticks.empty() ? x_.ticks(8) : chart_.x_ticks) {
    svg_.line({x_.place(tick), y}, {x_.place(tick), y + 5}, "axis");
    svg_.text({x_.place(tick), y + 18}, number_text(tick), "", Anchor::middle);
  }
  svg_.text({area_.x + area_.width / 2, y + 38}, chart_.x_axis, "muted", Anchor::middle);
}

void Lines::draw_band() {
  std::vector<Point> corners;
  for (const auto& s : chart_.band) corners.push_back({x_.place(s.x), y_.place(s.high)});
  for (std::size_t i = chart_.band.size(); i-- > 0;)
    corners.push_back({x_.place(chart_.band[i].x), y_.place(chart_.band[i].low)});
  if (!corners.empty()) svg_.polygon(corners, "t-grey");
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
  if (!path.empty()) svg_.path(path, line_class(number), series.label);
  if (series.stroke == Stroke::thin || series.stroke == Stroke::dashed) return;
  for (const auto& p : series.points)
    svg_.circle({x_.place(p.x), y_.place(p.y)}, series.stroke == Stroke::bold ? 5 : 3, fill_class(number),
                fmt::format("{}: {} at {}", series.label, short_number(p.y), number_text(p.x)));
}

void Lines::draw_names() {
  std::vector<LineName> all;
  for (const auto& level : chart_.levels)
    all.push_back({.end = y_.place(level.y), .words = level.label, .fill = "solid"});
  for (std::size_t i = 0; i < chart_.series.size(); ++i) {
    const auto& [label, points, stroke, given_hue] = chart_.series[i];
    if (points.empty()) continue;
    all.push_back({.end = y_.place(points.back().y), .words = label, .fill = fill_class(i), .line = line_class(i)});
    if (stroke == Stroke::bold) all.back().text = "strong";
  }
  draw_line_names(svg_, area_, std::move(all));
}

std::string Lines::draw() {
  measure();
  draw_value_axis(svg_, area_, y_, chart_.y_axis);
  draw_x_axis();
  draw_band();
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
