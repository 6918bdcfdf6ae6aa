// The quantities of section 6 of Czechowski et al. 2012, one line of arithmetic each, and the corners of what the
// printed digits of its inputs allow. All quantities rise or fall with each input, so that corners bound them.

#include "lab/theory/exascale_world.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kallima::exascale {

namespace {

constexpr double peta = 1e15;
constexpr double exa = 1e18;

// An end of what the printed digits allow for a number of Table 1.
double end_of(const char* symbol, bool upper) {
  const Trend& row = trend(symbol);
  const theory::Interval i = theory::read_printed(row.value_2020).rounds_to_it;
  return (upper ? i.high : i.low) * theory::unit_factor(row.unit_2020);
}

// The caches play no part: a line of n words fits them at any rounding.
std::vector<World> corners_of(double n) {
  std::vector<World> all;
  for (unsigned mask = 0; mask < 32; ++mask) {
    const auto end = [mask](const char* symbol, unsigned bit) { return end_of(symbol, (mask >> bit & 1u) != 0); };
    Lanes lanes = lanes_2020(Column::printed);
    lanes.cpu.peak_flop_per_s = end("C_CPU", 0);
    lanes.gpu.peak_flop_per_s = end("C_GPU", 1);
    lanes.cpu.memory_bytes_per_s = end("beta_CPU", 2);
    lanes.gpu.memory_bytes_per_s = end("beta_GPU", 3);
    lanes.cpu.link_bytes_per_s = lanes.gpu.link_bytes_per_s = end("beta_link", 4);
    all.emplace_back(n, lanes, Reading::printed);
  }
  return all;
}

double ten_years(const char* symbol) { return growth(10, theory::read_printed(trend(symbol).doubling_years).value); }

double faster_than_gpu(const std::vector<System>& systems) {
  return systems[0].times.sum_s() / systems[1].times.sum_s();
}

}  // namespace

World::World(double side, const Lanes& machines, Reading how)
    : n(side),
      lanes(machines),
      reading(how),
      systems(scenarios(side, machines, how)),
      ratios(memory_to_network_2010_2020(how)) {}

Worlds::Worlds(double n)
    : printed(n, lanes_2020(Column::printed), Reading::printed),
      bytes_twice(n, lanes_2020(Column::printed), Reading::bytes_twice),
      bytes_twice_in_lines(n, lanes_2020(Column::printed), Reading::bytes_twice_in_lines),
      corners(corners_of(n)) {}

theory::Interval Worlds::range(Quantity quantity) const {
  theory::Interval range{quantity(printed), quantity(printed)};
  for (const World& corner : corners) {
    range.low = std::min(range.low, quantity(corner));
    range.high = std::max(range.high, quantity(corner));
  }
  return range;
}

double fft_rate(const World& w) { return flop_count(w.n) / w.gpu().times.sum_s() / peta; }

double share_of_peak(const World& w) { return 100 * fft_rate(w) * peta / w.lanes.peak_flop_per_s; }

double printed_share(const World&) { return 100 * 2.8 * peta / printed_2020(trend("R_peak")); }

double speedup(const World& w) { return faster_than_gpu(w.systems); }

double speedup_1ef(const World& w) {
  return faster_than_gpu(scenarios(w.n, {w.lanes.cpu, w.lanes.gpu, 1 * exa}, w.reading));
}

double over_flops(const World& w) {
  return w.gpu().times.sum_s() / flop_time_s(w.n, w.gpu().nodes, w.gpu().node.peak_flop_per_s);
}

double net_over_mem(const World& w) { return w.gpu().times.network_s / w.gpu().times.memory_s; }

double longest(const World& w) { return w.gpu().times.longest_s(); }

double cpu2_peak(const World& w) { return w.systems[2].nodes * w.lanes.cpu.peak_flop_per_s / exa; }

double printed_cpu2_peak(const World& w) { return 350e3 * w.lanes.cpu.peak_flop_per_s / exa; }

double largest_net(const World& w) { return std::max({net_of<1>(w), net_of<2>(w), net_of<3>(w)}); }

double ideal_gain(const World& w) {
  const double link = w.lanes.cpu.link_bytes_per_s;
  return torus_bisection_time_s(w.n, nodes<1>(w), link) / torus_ideal_time_s(w.n, nodes<1>(w), link);
}

// Among the bisection estimates; line 1 is the ideal mapping.
double flattest(const World& w) {
  constexpr std::array<std::size_t, 4> lines{0, 2, 3, 4};
  const auto slope = [&](std::size_t i) { return std::abs(std::log(change(w.ratios.lines[i]))); };
  const auto least = std::min_element(lines.begin(), lines.end(), [&](auto a, auto b) { return slope(a) < slope(b); });
  return static_cast<double>(3 + (least - lines.begin()));
}

double largest_2020(const World& w) {
  double most = 0;
  for (const Line& line : w.ratios.lines) most = std::max(most, line.ratios.back());
  return most;
}

double spread_growth(const World&) { return ten_years("C_CPU") / ten_years("R_peak"); }

double bandwidth_growth(const World&) { return ten_years("beta_link") / ten_years("beta_CPU"); }

double cores_over_cache(const World&) { return ten_years("rho_CPU") / ten_years("Z_CPU"); }

double largest(const Line& line) { return *std::max_element(line.ratios.begin(), line.ratios.end()); }

double change(const Line& line) { return line.ratios.back() / line.ratios.front(); }

}  // namespace kallima::exascale
