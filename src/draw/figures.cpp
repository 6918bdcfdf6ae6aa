// Figure 5 of Czechowski et al. is time in memory and network as stacked bars for four machines; Figure 6 the ratio of
// the two over the years for several tori, where above 1 the memory is the bottleneck. In the hiding curve what is
// drawn last lies on top: Kallima and what was predicted of it. Colours say whose a curve is: Kallima's are blue,
// FFTW's warm, the two parts grey and green. All are charts of plain data; nothing is computed here.

#include "kallima/figures.hpp"

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
std::vector<HidingPoint> corners_between(std::span<const HidingPoint> points) {
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
                  .x_scale = AxisScale::logarithmic,
                  .y_scale = AxisScale::logarithmic,
                  .legend = false,
                  .close_fit = true,
                  .caption = figure.caption,
                  .theme = figure.theme,
                  .width = 900,
                  .height = 560};
  const std::vector<HidingPoint> parts = corners_between(points);
  for (const HidingPoint& p : points) chart.x_ticks.push_back(p.gbit_per_s);
  for (const HidingPoint& p : parts) chart.band.push_back({p.gbit_per_s, *bounds[1].value(p), *bounds[0].value(p)});
  for (const Curve& curve : bounds) chart.series.push_back(series_of(curve, parts));
  for (const Curve& curve : curves)
    if (LineChart::Series series = series_of(curve, points); !series.points.empty())
      chart.series.push_back(std::move(series));
  return draw_lines(chart);
}

namespace exascale {
namespace {

std::string count_text(double count) {
  return count < 1e6 ? fmt::format("{:.0f}k", count / 1e3) : fmt::format("{:.2f}M", count / 1e6);
}

// Lines that coincide would hide one another: an ideal mapping on three dimensions is worth six.
std::vector<Line> distinct(const std::vector<Line>& lines) {
  const auto near = [](double x, double y) { return std::abs(x - y) <= 1e-3 * std::abs(x); };
  std::vector<Line> result;
  for (const Line& line : lines) {
    const auto coincides = [&](const Line& l) { return std::ranges::equal(l.ratios, line.ratios, near); };
    const auto twin = std::ranges::find_if(result, coincides);
    if (twin == result.end())
      result.push_back(line);
    else
      twin->name += "; " + line.name;
  }
  return result;
}

}  // namespace

std::string draw_figure5(std::span<const Bars> groups, double n, Theme theme) {
  BarChart chart{.title = fmt::format("A 3-D FFT of {:.0f}^3 points on machines of 2020", n),
                 .axis = "seconds",
                 .parts = {"memory", "network"},
                 .caption = "After Czechowski et al. 2012, Figure 5. Below each machine: its processors.",
                 .theme = theme};
  for (const Bars& bars : groups) {
    BarChart::Group& group = chart.groups.emplace_back(BarChart::Group{bars.label, {}});
    for (const System& s : bars.systems)
      group.bars.push_back({s.name + ", " + count_text(s.nodes), {s.times.memory_s, s.times.network_s}});
  }
  return draw_bars(chart);
}

std::string draw_figure6(const Ratios& ratios, Theme theme) {
  LineChart chart{.title = "Memory time over network time, weakly scaled from 4096^3 points",
                  .x_axis = "year",
                  .y_axis = "T_mem / T_net",
                  .y_scale = AxisScale::logarithmic,
                  .levels = {{1, "equal times"}},
                  .caption = "After Czechowski et al. 2012, Figure 6, with equation (2) as printed.",
                  .theme = theme};
  for (const Line& line : distinct(ratios.lines)) {
    LineChart::Series& series = chart.series.emplace_back(LineChart::Series{line.name, {}});
    for (std::size_t i = 0; i < ratios.years.size(); ++i)
      series.points.push_back({static_cast<double>(ratios.years[i]), line.ratios[i]});
  }
  return draw_lines(chart);
}

}  // namespace exascale
}  // namespace kallima
