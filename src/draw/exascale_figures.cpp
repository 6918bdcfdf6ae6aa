// Figure 5 is time in memory and network as stacked bars for four machines; Figure 6 the ratio of the two over the
// years for several tori, where above 1 the memory is the bottleneck. Both are charts of plain data; nothing
// is computed here.

#include "kallima/exascale_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kallima::exascale {

namespace {

std::string count_text(double count) {
  return count < 1e6 ? fmt::format("{:.0f}k", count / 1e3) : fmt::format("{:.2f}M", count / 1e6);
}

BarChart::Group group_of(const Bars& bars) {
  BarChart::Group group{bars.label, {}};
  for (const System& s : bars.systems)
    group.bars.push_back({s.name + ", " + count_text(s.nodes), {s.times.memory_s, s.times.network_s}});
  return group;
}

LineChart::Series series_of(const Line& line, const std::vector<int>& years) {
  LineChart::Series series{line.name, {}};
  for (std::size_t i = 0; i < years.size(); ++i)
    series.points.push_back({static_cast<double>(years[i]), line.ratios[i]});
  return series;
}

bool coincide(const Line& a, const Line& b) {
  return std::equal(a.ratios.begin(), a.ratios.end(), b.ratios.begin(), b.ratios.end(),
                    [](double x, double y) { return std::abs(x - y) <= 1e-3 * std::abs(x); });
}

// Lines that coincide would hide one another: an ideal mapping on three dimensions is worth six.
std::vector<Line> distinct(const std::vector<Line>& lines) {
  std::vector<Line> result;
  for (const Line& line : lines) {
    const auto twin = std::find_if(result.begin(), result.end(), [&](const Line& l) { return coincide(l, line); });
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
  for (const Bars& bars : groups) chart.groups.push_back(group_of(bars));
  return draw_bars(chart);
}

std::string draw_figure6(const Ratios& ratios, Theme theme) {
  LineChart chart{.title = "Memory time over network time, weakly scaled from 4096^3 points",
                  .x_axis = "year",
                  .y_axis = "T_mem / T_net",
                  .y_scale = Scale::logarithmic,
                  .levels = {{1, "equal times"}},
                  .caption = "After Czechowski et al. 2012, Figure 6, with equation (2) as printed.",
                  .theme = theme};
  for (const Line& line : distinct(ratios.lines)) chart.series.push_back(series_of(line, ratios.years));
  return draw_lines(chart);
}

}  // namespace kallima::exascale
