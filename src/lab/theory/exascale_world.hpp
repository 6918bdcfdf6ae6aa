#pragma once
// The quantities that section 6 of Czechowski et al. 2012 speaks of, each a function of a World and in the unit in
// which the paper prints it. A World is one set of machines of 2020 and all that follows from it.

#include "kallima/exascale.hpp"
#include "lab/theory/printed.hpp"

namespace kallima::exascale {

struct World {
  double n = 0;
  Lanes lanes;
  Reading reading = Reading::printed;
  std::vector<System> systems;  // GPU, CPU-1, CPU-2, CPU-3
  Ratios ratios;                // Figure 6

  World(double n, const Lanes& lanes, Reading reading);
  const System& gpu() const { return systems[0]; }
};

using Quantity = double (*)(const World&);

// The world as printed, the same under other readings of equation (2), and those at the ends of what the digits of the
// printed column allow.
struct Worlds {
  World printed;
  World bytes_twice;
  World bytes_twice_in_lines;
  std::vector<World> corners;

  explicit Worlds(double n);
  theory::Interval range(Quantity quantity) const;
};

double fft_rate(const World& w);  // nothing overlaps, as in CPU-2's definition
double share_of_peak(const World& w);
double printed_share(const World& w);
double speedup(const World& w);
double speedup_1ef(const World& w);
double over_flops(const World& w);
double net_over_mem(const World& w);
double longest(const World& w);
double cpu2_peak(const World& w);
double printed_cpu2_peak(const World& w);
double largest_net(const World& w);
double ideal_gain(const World& w);
double flattest(const World& w);
double largest_2020(const World& w);
double spread_growth(const World& w);
double bandwidth_growth(const World& w);
double cores_over_cache(const World& w);

double largest(const Line& line);
double change(const Line& line);  // last over first

template <int i>
double nodes(const World& w) {
  return w.systems[i].nodes;
}
template <int i>
double nodes_of(const World& w) {
  return w.systems[i].nodes / w.gpu().nodes;
}
template <int i>
double net_of(const World& w) {
  return w.systems[i].times.network_s / w.gpu().times.network_s;
}
template <int i>
double mem_of(const World& w) {
  return w.systems[i].times.memory_s / w.gpu().times.memory_s;
}
template <int i>
double sum_of(const World& w) {
  return w.systems[i].times.sum_s() / w.gpu().times.sum_s();
}
template <int i>
double largest_ratio(const World& w) {
  return largest(w.ratios.lines[i]);
}
template <int i>
double growth_of(const World& w) {
  return change(w.ratios.lines[i]);
}

}  // namespace kallima::exascale
