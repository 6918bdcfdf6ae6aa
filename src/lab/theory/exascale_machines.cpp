// Table 1 of Czechowski et al. 2012: what a node and a machine are in 2010, how many years each number takes to double,
// and what the authors print for 2020. Both lanes double at the same rate, so that each rate stands twice. Then the
// four machines of Figure 5 and the lines of Figure 6. The paper says what the CPU-like machines have in common with
// the GPU-like one: the peak (CPU-1), the time without overlap (CPU-2) or with it (CPU-3); how many nodes that takes is
// solved for, not taken from the text.
//
// The network is a torus of any number of dimensions and any shape. Equation (5) lets all words cross P^(2/3) links in
// each exchange. In a real torus half of the words cross the bisection, a quarter each way, and a ring is cut at two
// places: the links are busy for an eighth of that time. Both are here; the paper is compared with its own form.

#include <cmath>

#include "base/check.hpp"
#include "lab/theory/exascale_claims.hpp"

namespace kallima::exascale {
namespace {

const Trend rows[] = {
    {"peak", "C_CPU", "50.4", "GF/s", "1.7", "59.0", "3.0", "TF/s"},
    {"peak", "C_GPU", "515", "GF/s", "1.7", "59.0", "30", "TF/s"},
    {"cores", "rho_CPU", "6", "", "1.87", "40.7", "134", ""},
    {"cores", "rho_GPU", "448", "", "1.87", "40.7", "18k", ""},
    {"memory bandwidth", "beta_CPU", "21.3", "GB/s", "3.0", "9.7", "206", "GB/s"},
    {"memory bandwidth", "beta_GPU", "144", "GB/s", "3.0", "9.7", "1.4", "TB/s"},
    {"fast memory", "Z_CPU", "6", "MB", "2.0", "32.0", "192", "MB"},
    {"fast memory", "Z_GPU", "2.7", "MB", "2.0", "32.0", "86.4", "MB"},
    {"line size", "L_CPU", "64", "B", "10.2", "2.0", "128", "B"},
    {"line size", "L_GPU", "128", "B", "10.2", "2.0", "256", "B"},
    {"link bandwidth", "beta_link", "10", "GB/s", "2.25", "21.8", "218", "GB/s"},
    {"machine peak", "R_peak", "4", "PF/s", "1.0", "1000", "4", "EF/s"},
    {"system memory", "E", "635", "TB", "1.3", "208", "132", "PB"},
    {"nodes", "P_CPU", "79,400", "", "2.4", "17.4", "1.3M", ""},
    {"nodes", "P_GPU", "7,770", "", "2.4", "17.4", "135,000", ""},
};

using Value = std::function<double(const std::string&)>;

ComputeNode node_of(Lane lane, const Value& value) {
  const std::string suffix = lane == Lane::cpu ? "_CPU" : "_GPU";
  return {.peak_flop_per_s = value("C" + suffix),
          .cores = value("rho" + suffix),
          .memory_bytes_per_s = value("beta" + suffix),
          .cache_bytes = value("Z" + suffix),
          .line_bytes = value("L" + suffix),
          .link_bytes_per_s = value("beta_link")};
}

// The base processor is the CPU-like one of each year; n^3 grows with the number of nodes, from 4096^3 in 2010.
double ratio_in(double year, double kappa, Reading reading) {
  const auto peak_in = [](double when) { return value_in(trend("R_peak"), when); };
  const auto nodes_in = [&](double when) { return peak_in(when) / node_in(Lane::cpu, when).peak_flop_per_s; };
  const ComputeNode node = node_in(Lane::cpu, year);
  const double n = 4096 * std::cbrt(nodes_in(year) / nodes_in(2010));
  return memory_time_s(n, nodes_in(year), node, reading) / network_time_of_peak_s(n, peak_in(year), node, kappa);
}

double kappa(int dimensions, double halvings) {
  require(dimensions >= 1, "no torus of {} dimensions (nothing to connect) give 1 or more", dimensions);
  return 1 - 1 / (halvings * dimensions);
}

// A plane through the middle of a dimension. It meets every ring along it: twice where that closes on itself, once
// between a pair. `share` of all words crosses it one way; a quarter if the extent is even.
struct TorusCut {
  double links, share;
};

std::vector<TorusCut> cuts_of(std::span<const Index> extents) {
  double nodes = 1;
  std::vector<TorusCut> cuts;
  for (const Index extent : extents) nodes *= static_cast<double>(std::max<Index>(extent, 0));
  for (const Index extent : extents) {
    const auto all = static_cast<double>(extent), low = static_cast<double>(extent / 2);
    if (extent > 1) cuts.push_back({(extent > 2 ? 2 : 1) * nodes / all, low * (all - low) / (all * all)});
  }
  require(nodes > 0 && !cuts.empty(),
          "no torus to cut (it needs extents from 1 and one above) give, for example, 17, 8, 24");
  return cuts;
}

}  // namespace

double flop_count(double n) {
  require(n >= 2, "no model for n = {} (there is nothing to transform) give 2 or more", n);
  return phases * n * n * 5 * n * std::log2(n);
}

double kappa_ideal(int dimensions) { return kappa(dimensions, 2); }
double kappa_bisection(int dimensions) { return kappa(dimensions, 1); }

double torus_cut_links(std::span<const Index> extents) {
  return std::ranges::min(cuts_of(extents), {}, &TorusCut::links).links;
}

double torus_cut_time_s(double n, std::span<const Index> extents, double link_bytes_per_s) {
  return full_network_time_s(n, torus_cut_links(extents) / 2, link_bytes_per_s);
}

double torus_exchange_time_s(double n, std::span<const Index> extents, double link_bytes_per_s) {
  double longest = 0;
  for (const TorusCut& cut : cuts_of(extents)) longest = std::max(longest, cut.share / cut.links);
  return exchanges * (n * n * n) * longest / words_per_s(link_bytes_per_s);
}

std::span<const Trend> table1() { return rows; }

const Trend& trend(std::string_view symbol) {
  for (const Trend& row : rows)
    if (row.symbol == symbol) return row;
  fail("Table 1 has no {} (it has C_CPU, beta_link, R_peak and others) check the spelling", symbol);
}

double value_in(const Trend& trend, double year) {
  const double start = read_printed(trend.value_2010).value * unit_factor(trend.unit_2010);
  return start * growth(year - 2010, read_printed(trend.doubling_years).value);
}

double printed_2020(const Trend& trend) { return read_printed(trend.value_2020).value * unit_factor(trend.unit_2020); }

ComputeNode node_in(Lane lane, double year) {
  return node_of(lane, [year](const std::string& symbol) { return value_in(trend(symbol), year); });
}

ComputeNode node_2020(Lane lane, Column column) {
  if (column == Column::extrapolated) return node_in(lane, 2020);
  return node_of(lane, [](const std::string& symbol) { return printed_2020(trend(symbol)); });
}

// The peak is the same in both columns: section 6 compares machines of 4 EF/s, and 1024 times 4 PF/s is not that.
Lanes lanes_2020(Column column) {
  return {.cpu = node_2020(Lane::cpu, column),
          .gpu = node_2020(Lane::gpu, column),
          .peak_flop_per_s = printed_2020(trend("R_peak"))};
}

// Bisection of the logarithm: the answer may be anything from one node to more than there will ever be.
double nodes_for(const std::function<double(double)>& time_s, double target_s) {
  double low = 0;
  double high = std::log(1e18);
  require(time_s(1) >= target_s && time_s(1e18) <= target_s,
          "no number of nodes takes {} s (one takes {} s, 1e18 take {} s) choose a time between", target_s, time_s(1),
          time_s(1e18));
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (time_s(std::exp(middle)) > target_s ? low : high) = middle;
  }
  return std::exp(high);
}

std::vector<System> scenarios(double n, const Lanes& lanes, Reading reading) {
  const auto built = [&](const char* name, const ComputeNode& node, double nodes) {
    return System{name, node, nodes, times(n, node, nodes, reading)};
  };
  const auto cpu_times = [&](double nodes) { return times(n, lanes.cpu, nodes, reading); };
  const System gpu = built("GPU", lanes.gpu, lanes.peak_flop_per_s / lanes.gpu.peak_flop_per_s);
  const double as_sum = nodes_for([&](double p) { return cpu_times(p).sum_s(); }, gpu.times.sum_s());
  const double as_longest = nodes_for([&](double p) { return cpu_times(p).longest_s(); }, gpu.times.longest_s());
  return {gpu, built("CPU-1", lanes.cpu, lanes.peak_flop_per_s / lanes.cpu.peak_flop_per_s),
          built("CPU-2", lanes.cpu, as_sum), built("CPU-3", lanes.cpu, as_longest)};
}

Ratios memory_to_network_2010_2020(Reading reading) {
  Ratios result;
  for (int year = 2010; year <= 2020; ++year) result.years.push_back(year);
  const auto add = [&](const std::string& name, double kappa) {
    Line& line = result.lines.emplace_back(Line{name, {}});
    for (const int year : result.years) line.ratios.push_back(ratio_in(year, kappa, reading));
  };
  add("3-D torus", kappa_bisection(3));
  add("3-D torus, ideal", kappa_ideal(3));
  for (int d = 4; d <= 6; ++d) add(fmt::format("{}-D torus", d), kappa_bisection(d));
  return result;
}

}  // namespace kallima::exascale
