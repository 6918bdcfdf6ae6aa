// What is drawn last lies on top: Kallima and what was predicted of it. Colours say whose a curve is: Kallima's are
// blue, FFTW's warm, the two parts grey and green.

#include "kallima/hiding_figure.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace kallima {
namespace {

using Value = std::optional<double>;

struct Curve {
  const char* label;
  const char* hue;
  Stroke stroke;
  Value (*value)(const HidingPoint&);
};

constexpr Curve bounds[] = {{"sum of the two", "grey", Stroke::thin,
                             [](const HidingPoint& p) -> Value { return p.computation + p.communication; }},
                            {"maximum of the two", "grey", Stroke::thin,
                             [](const HidingPoint& p) -> Value { return std::max(p.computation, p.communication); }}};

constexpr Curve curves[] = {
    {"computation alone", "olive", Stroke::thin, [](const HidingPoint& p) -> Value { return p.computation; }},
    {"communication alone", "green", Stroke::thin, [](const HidingPoint& p) -> Value { return p.communication; }},
    {"FFTW-MPI, default output", "vermilion", Stroke::normal, [](const HidingPoint& p) { return p.fftw_default; }},
    {"FFTW-MPI, transposed output", "orange", Stroke::normal, [](const HidingPoint& p) { return p.fftw_transposed; }},
    {"FFTW-MPI, scrambled output", "orange", Stroke::normal, [](const HidingPoint& p) { return p.fftw_scrambled; }},
    {"Kallima without overlap", "sky", Stroke::normal, [](const HidingPoint& p) -> Value { return p.without_overlap; }},
    {"Kallima", "blue", Stroke::bold, [](const HidingPoint& p) -> Value { return p.kallima; }},
    {"predicted (LogGP)", "ink", Stroke::dashed, [](const HidingPoint& p) { return p.prediction; }}};

// The two parts between the points as their lines are drawn, so that their maximum has its corner where they cross.
std::vector<HidingPoint> between(std::span<const HidingPoint> points) {
  constexpr int steps = 16;
  std::vector<HidingPoint> all{points[0]};
  for (std::size_t i = 1; i < points.size(); ++i)
    for (int k = 1; k <= steps; ++k) {
      const auto mix = [&](double a, double b) { return a * std::pow(b / a, static_cast<double>(k) / steps); };
      all.push_back({mix(points[i - 1].gbit_per_s, points[i].gbit_per_s),
                     mix(points[i - 1].computation, points[i].computation),
                     mix(points[i - 1].communication, points[i].communication)});
    }
  return all;
}

LineChart::Series series_of(const Curve& curve, std::span<const HidingPoint> points) {
  LineChart::Series series{curve.label, {}, curve.stroke, curve.hue};
  for (const HidingPoint& p : points)
    if (const Value value = curve.value(p)) series.points.push_back({p.gbit_per_s, *value});
  return series;
}

}  // namespace

std::string draw_hiding(std::span<const HidingPoint> points, const HidingFigure& figure) {
  require(!points.empty(), "there is nothing to draw (no rate was measured) give at least one");
  LineChart chart{.title = figure.title,
                  .x_axis = "rate of every link, in each direction, Gbit/s",
                  .y_axis = "time, s",
                  .x_scale = Scale::logarithmic,
                  .y_scale = Scale::logarithmic,
                  .legend = false,
                  .close_fit = true,
                  .caption = figure.caption,
                  .theme = figure.theme,
                  .width = 900,
                  .height = 560};
  const std::vector<HidingPoint> parts = between(points);
  for (const HidingPoint& p : points) chart.x_ticks.push_back(p.gbit_per_s);
  for (const HidingPoint& p : parts) chart.band.push_back({p.gbit_per_s, *bounds[1].value(p), *bounds[0].value(p)});
  for (const Curve& curve : bounds) chart.series.push_back(series_of(curve, parts));
  for (const Curve& curve : curves)
    if (LineChart::Series series = series_of(curve, points); !series.points.empty())
      chart.series.push_back(std::move(series));
  return draw_lines(chart);
}

}  // namespace kallima
