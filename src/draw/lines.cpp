// Curves over a common axis. Each is named where it ends, so that nobody has to match colours with a legend, which
// stays for those who print.

#include <algorithm>

#include "base/check.hpp"
#include "draw/chart.hpp"

namespace kallima {
namespace {

constexpr double left = 84, below = 48, least_height = 120, log_room = 1.12;

class LinePainter {
 public:
  explicit LinePainter(const LineChart& chart) : chart_(chart), svg_(chart.width, chart.theme, chart.title) {}

  std::string draw() {
    measure();
    draw_value_axis(svg_, area_, y_, chart_.y_axis);
    draw_ticks(svg_, x_, area_.bottom(), chart_.x_ticks.empty() ? x_.ticks(8) : chart_.x_ticks);
    svg_.text({area_.x + area_.width / 2, area_.bottom() + 38}, chart_.x_axis, "muted", Anchor::middle);
    draw_band();
    for (const auto& level : chart_.levels)
      svg_.line({area_.x, y_.place(level.y)}, {area_.right(), y_.place(level.y)}, "mark dash");
    for (std::size_t i = 0; i < chart_.series.size(); ++i) draw_series(i);
    draw_names();
    return svg_.finish(draw_caption(svg_, area_.bottom() + below - 4, chart_.width, chart_.caption));
  }

 private:
  void measure() {
    std::vector<LegendEntry> entries;
    for (std::size_t i = 0; i < chart_.series.size(); ++i) entries.push_back({chart_.series[i].label, fill_class(i)});
    if (entries.size() < 2 || !chart_.legend) entries.clear();
    const double top = draw_chart_head(svg_, chart_.title, chart_.width, entries);
    area_ = {left, top, chart_.width - left - names_width() - chart_margin,
             std::max(chart_.height - top - below, least_height)};
    measure_values();
    x_.from = area_.x;
    x_.to = area_.right();
    y_.from = area_.bottom();
    y_.to = area_.y;
  }

  void measure_values() {
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
    if (!chart_.close_fit || chart_.y_scale == AxisScale::linear) return;
    const auto [least, most] = std::minmax_element(ys.begin(), ys.end());
    y_.low = *least / log_room;
    y_.high = *most * log_room;
  }

  void draw_band() {
    std::vector<Point> corners;
    for (const auto& s : chart_.band) corners.push_back({x_.place(s.x), y_.place(s.high)});
    for (std::size_t i = chart_.band.size(); i-- > 0;)
      corners.push_back({x_.place(chart_.band[i].x), y_.place(chart_.band[i].low)});
    if (!corners.empty()) svg_.polygon(corners, "t-grey");
  }

  void draw_series(std::size_t number) {
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

  void draw_names() {
    std::vector<LineName> all;
    for (const auto& level : chart_.levels)
      all.push_back({.end = y_.place(level.y), .label = level.label, .fill = "solid"});
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      const auto& [label, points, stroke, given_hue] = chart_.series[i];
      if (points.empty()) continue;
      all.push_back({.end = y_.place(points.back().y), .label = label, .fill = fill_class(i), .line = line_class(i)});
      if (stroke == Stroke::bold) all.back().text = "strong";
    }
    draw_line_names(svg_, area_, std::move(all));
  }

  double names_width() const {
    std::vector<std::string> labels;
    for (const auto& series : chart_.series) labels.push_back(series.label);
    for (const auto& level : chart_.levels) labels.push_back(level.label);
    return line_names_width(labels, chart_.width / 2);
  }

  std::string hue(std::size_t series) const {
    const std::string& given = chart_.series[series].hue;
    return given.empty() ? std::string(hues[series % hues.size()]) : given;
  }

  std::string fill_class(std::size_t series) const { return hue(series) == "ink" ? "solid" : "f-" + hue(series); }

  std::string line_class(std::size_t series) const {
    constexpr const char* strokes[] = {"", " hair", " bold", " dash"};  // by Stroke
    return (hue(series) == "ink" ? "mark" : "l-" + hue(series)) +
           strokes[static_cast<int>(chart_.series[series].stroke)];
  }

  const LineChart& chart_;
  Svg svg_;
  Rectangle area_;
  Ruler x_, y_;
};

}  // namespace

std::string draw_lines(const LineChart& chart) {
  require(!chart.series.empty(), "there are no lines to draw (no series was given) give at least one");
  return LinePainter(chart).draw();
}

}  // namespace kallima
