// The same numbers as a table for each instruction set, as JSON, and as four charts: lines that are contiguous or
// strided, in cache or out of it.

#include <fmt/format.h>

#include <cmath>

#include "bench/kernels.hpp"
#include "bench/report.hpp"
#include "kallima/draw.hpp"

namespace kallima::cli {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LineTimes, ns_per_point, min_ns_per_point, share, error)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KernelRow, length, lines, access, memory, roofline_ns, kallima, fftw, ratio)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KernelSet, isa, peak_gflops, cache_gb_per_s, memory_gb_per_s, in_cache_bytes,
                                   out_of_cache_bytes, rows)

namespace {

struct KernelCase {
  const char* access;
  const char* memory;
};

constexpr KernelCase kernel_cases[] = {
    {"contiguous", "in cache"}, {"strided", "in cache"}, {"contiguous", "out of cache"}, {"strided", "out of cache"}};

bool is_of(const KernelRow& row, const KernelCase& which) {
  return row.access == which.access && row.memory == which.memory;
}

std::vector<Index> lengths_of(const KernelSet& set) {
  std::vector<Index> lengths;
  for (const KernelRow& row : set.rows)
    if (lengths.empty() || lengths.back() != row.length) lengths.push_back(row.length);
  return lengths;
}

std::string row_text(const KernelSet& set, Index length) {
  std::string line = fmt::format("{:>8}", length);
  for (const KernelCase& which : kernel_cases) {
    std::string cells = fmt::format("{:>11}{:>8}{:>8}", "-", "-", "-");
    for (const KernelRow& row : set.rows)
      if (row.length == length && is_of(row, which))
        cells =
            fmt::format("{:>11.2f}{:>8}{:>6.0f} %", row.kallima.ns_per_point,
                        row.ratio > 0 ? fmt::format("{:.2f}", row.fftw.ns_per_point) : "-", 100 * row.kallima.share);
    line += cells;
  }
  return line + "\n";
}

// Runs that nothing disturbs take the same time. Where many do not, the table is no better than the moment it was made
// in.
std::string disturbance(const KernelSet& set) {
  constexpr double tolerated = 1.2;
  int disturbed = 0;
  for (const KernelRow& row : set.rows)
    for (const LineTimes& times : {row.kallima, row.fftw})
      if (times.ns_per_point > tolerated * times.min_ns_per_point) ++disturbed;
  if (disturbed == 0) return "";
  return fmt::format("{} of {} medians are more than {:.0f} % above the fastest run: something else was running\n",
                     disturbed, 2 * set.rows.size(), 100 * (tolerated - 1));
}

std::string set_table(const KernelSet& set) {
  std::string all =
      fmt::format("\n{}: {:.1f} Gflop/s at best; a copy reads and writes {:.1f} GB/s in cache, {:.1f} out of it\n{:>8}",
                  set.isa, set.peak_gflops, set.cache_gb_per_s, set.memory_gb_per_s, "");
  for (const KernelCase& which : kernel_cases)
    all += fmt::format("{:>27}", fmt::format("{}, {}", which.access, which.memory));
  all += fmt::format("\n{:>8}", "length");
  for (std::size_t i = 0; i < std::size(kernel_cases); ++i)
    all += fmt::format("{:>11}{:>8}{:>8}", "kallima", "FFTW", "share");
  all += "\n";
  for (const Index length : lengths_of(set)) all += row_text(set, length);
  return all + disturbance(set);
}

LineChart::Series curve(const KernelSet& set, const KernelCase& which, const std::string& label, auto value) {
  LineChart::Series series{label, {}};
  for (const KernelRow& row : set.rows)
    if (is_of(row, which)) series.points.push_back({static_cast<double>(row.length), value(row)});
  return series;
}

// As many as can be written beside each other.
std::vector<double> length_ticks(const LineChart::Series& series) {
  constexpr std::size_t most = 9;
  const double room = std::pow(series.points.back().x / series.points.front().x, 1.0 / most) * 0.999;
  std::vector<double> ticks;
  for (const Point& p : series.points)
    if (ticks.empty() || p.x >= ticks.back() * std::max(room, 1.5)) ticks.push_back(p.x);
  return ticks;
}

// Empty where nothing was measured.
std::string kernel_chart(const KernelReport& report, const KernelCase& which) {
  const KernelSet& best = report.sets.back();
  LineChart chart{
      .title = fmt::format("Lines of {} precision, {}, {}", name_of(report.precision), which.access, which.memory),
      .x_axis = "points of a line",
      .y_axis = "nanoseconds a point",
      .x_scale = AxisScale::logarithmic,
      .y_scale = AxisScale::logarithmic,
      .close_fit = true,
      .caption = fmt::format("{}; one core, median of {}; the roofline is that of {:.1f} Gflop/s and {:.1f} GB/s",
                             title(report.fftw), report.reps, best.peak_gflops,
                             std::string(which.memory) == "in cache" ? best.cache_gb_per_s : best.memory_gb_per_s),
      .height = 360};
  for (const KernelSet& set : report.sets)
    chart.series.push_back(
        curve(set, which, "kallima, " + set.isa, [](const KernelRow& row) { return row.kallima.ns_per_point; }));
  if (!report.fftw.version.empty())
    chart.series.push_back(curve(best, which, "FFTW", [](const KernelRow& row) { return row.fftw.ns_per_point; }));
  chart.series.push_back(
      curve(best, which, "roofline, " + best.isa, [](const KernelRow& row) { return row.roofline_ns; }));
  chart.series.back().stroke = Stroke::dashed;
  chart.series.back().hue = "ink";
  if (chart.series[0].points.empty()) return "";
  chart.x_ticks = length_ticks(chart.series[0]);
  return draw_lines(chart);
}

}  // namespace

std::string kernel_table(const KernelReport& report) {
  std::string all = fmt::format(
      "{}, {} precision, one core, {} runs each in turn\nmedian nanoseconds a point; share: of the roofline "
      "max(5 log2 n flops, {} bytes) a point\n",
      title(report.fftw), name_of(report.precision), report.reps, report.precision == Precision::double_ ? 32 : 16);
  for (const KernelSet& set : report.sets) all += set_table(set);
  return all;
}

std::string kernel_json(const KernelReport& report) {
  return nlohmann::json{{"precision", name_of(report.precision)},
                        {"reps", report.reps},
                        {"fftw_build", report.fftw},
                        {"sets", report.sets}}
      .dump(2);
}

KernelSet kernel_set_from(const nlohmann::json& report) { return report.at("sets").at(0).get<KernelSet>(); }

std::string kernel_picture(const KernelReport& report) {
  std::vector<std::string> charts;
  for (const KernelCase& which : kernel_cases)
    if (std::string chart = kernel_chart(report, which); !chart.empty()) charts.push_back(std::move(chart));
  return draw_stack(charts);
}

}  // namespace kallima::cli
