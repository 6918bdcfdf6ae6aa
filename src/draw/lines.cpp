// Curves over a common axis. Each is named where it ends; the legend, whose colours one has to match, is for prints.

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "draw/chart.hpp"

namespace kallima {
namespace {

constexpr double axis_left = 84, below = 48, least_height = 120, log_room = 1.12;
constexpr double name_pitch = 15, least_width = 24, tie_width = 18;

// The name of a curve, written beside its end.
struct LineName {
  double end = 0;  // how high the curve ends
  std::string label = {};
  std::string fill = {};  // class of the mark before the label
  std::string line = {};  // class of what ties it to the curve; empty: nothing does
  std::string text = {};  // class of the label
};

// From above to below, each at least one line under the one before; those that run out of the area move up again.
std::vector<double> places(const std::vector<LineName>& names, double floor) {
  std::vector<double> y;
  for (const LineName& name : names) y.push_back(y.empty() ? name.end : std::max(name.end, y.back() + name_pitch));
  for (std::size_t k = y.size(); k-- > 0; floor = y[k] - name_pitch) y[k] = std::min(y[k], floor);
  return y;
}

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
    area_ = {axis_left, top, chart_.width - axis_left - names_width() - chart_margin,
             std::max(chart_.height - top - below, least_height)};
    measure_values();
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
    x_ = fitted({.from = area_.x, .to = area_.right(), .scale = chart_.x_scale}, xs, false);
    y_ = fitted({.from = area_.bottom(), .to = area_.y, .scale = chart_.y_scale}, ys, true);
    if (xs.empty()) return;
    x_.low = std::ranges::min(xs);  // years need no room before the first
    x_.high = std::ranges::max(xs);
    if (!chart_.close_fit || chart_.y_scale == AxisScale::linear) return;
    y_.low = std::ranges::min(ys) / log_room;
    y_.high = std::ranges::max(ys) * log_room;
  }

  Point at(double x, double y) const { return {x_.place(x), y_.place(y)}; }

  void draw_band() {
    std::vector<Point> corners;
    for (const auto& s : chart_.band) corners.push_back(at(s.x, s.high));
    for (std::size_t i = chart_.band.size(); i-- > 0;) corners.push_back(at(chart_.band[i].x, chart_.band[i].low));
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
      svg_.circle(at(p.x, p.y), series.stroke == Stroke::bold ? 5 : 3, fill_class(number),
                  fmt::format("{}: {} at {}", series.label, short_number(p.y), number_text(p.x)));
  }

  std::vector<LineName> names() const {
    std::vector<LineName> all;
    for (const auto& level : chart_.levels) all.push_back({y_.place(level.y), level.label, "solid"});
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      const auto& [label, points, stroke, given_hue] = chart_.series[i];
      const char* const weight = stroke == Stroke::bold ? "strong" : "";
      if (!points.empty()) all.push_back({y_.place(points.back().y), label, fill_class(i), line_class(i), weight});
    }
    std::ranges::stable_sort(all, {}, &LineName::end);
    return all;
  }

  // Names that would overlap are moved apart and tied to their curves.
  void draw_names() {
    const std::vector<LineName> all = names();
    const std::vector<double> y = places(all, area_.bottom());
    const double x = area_.right() + tie_width + 4;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const auto& [end, label, fill, line, text] = all[k];
      if (!line.empty() && std::abs(y[k] - end) > 1)
        svg_.path(fmt::format("M{} {}L{} {}", coordinate(area_.right() + 5), coordinate(end), coordinate(x - 3),
                              coordinate(y[k])),
                  line + " lead");
      svg_.rect({x, y[k] - 4, 3, 9}, fill);
      svg_.text({x + 8, y[k] + 4}, label, text);
    }
  }

  double names_width() const {
    double widest = least_width;
    const auto make_room = [&](const auto& named) {
      widest = std::max(widest, text_width(named.label) + chart_margin + tie_width);
    };
    std::ranges::for_each(chart_.series, make_room);
    std::ranges::for_each(chart_.levels, make_room);
    return std::min(widest, chart_.width / 2);
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
