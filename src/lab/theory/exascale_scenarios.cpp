// The four machines of Figure 5 and the lines of Figure 6 of Czechowski et al. 2012. The paper says what the CPU-like
// machines have in common with the GPU-like one: the peak (CPU-1), the time without overlap (CPU-2) or with it (CPU-3);
// how many nodes that takes is solved for, not taken from the text.

#include <cmath>

#include "base/check.hpp"
#include "kallima/exascale.hpp"

namespace kallima::exascale {

namespace {

constexpr double first_side = 4096;  // of Figure 6

struct Topology {
  std::string name;
  double kappa;
};

std::vector<Topology> topologies() {
  return {{"3-D torus", kappa_bisection(3)},
          {"3-D torus, ideal", kappa_ideal(3)},
          {"4-D torus", kappa_bisection(4)},
          {"5-D torus", kappa_bisection(5)},
          {"6-D torus", kappa_bisection(6)}};
}

double peak_in(double year) { return value_in(trend("R_peak"), year); }

double nodes_in(double year) { return peak_in(year) / node_in(Lane::cpu, year).peak_flop_per_s; }

// The base processor is the CPU-like one of each year; n^3 grows with the number of nodes.
double ratio_in(double year, double kappa, Reading reading) {
  const Node node = node_in(Lane::cpu, year);
  const double nodes = nodes_in(year);
  const double n = first_side * std::cbrt(nodes / nodes_in(2010));
  return memory_time_s(n, nodes, node, reading) / network_time_of_peak_s(n, peak_in(year), node, kappa);
}

}  // namespace

Times times(double n, const Node& node, double nodes, Reading reading) {
  return {memory_time_s(n, nodes, node, reading), torus_bisection_time_s(n, nodes, node.link_bytes_per_s)};
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
  const auto built = [&](const char* name, const Node& node, double nodes) {
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
  for (const Topology& topology : topologies()) {
    Line line{topology.name, {}};
    for (const int year : result.years) line.ratios.push_back(ratio_in(year, topology.kappa, reading));
    result.lines.push_back(std::move(line));
  }
  return result;
}

}  // namespace kallima::exascale
