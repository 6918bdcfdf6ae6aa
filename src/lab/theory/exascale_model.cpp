// Equations (1) to (11) of Czechowski et al. 2012 as they are printed. Where the paper gives an order
// only, the constants of the equations it comes from are carried along, so that (6), (7) and (10) are equalities that
// tests can hold against (2) and (5). The network, equations (3) to (5), is a torus of any number of dimensions and any
// shape. Their (5) lets all words cross P^(2/3) links in each exchange. In a real torus half of the words cross the
// bisection, a quarter each way, and a ring is cut at two places: the links are busy for an eighth of that time. Both
// are here; the paper's numbers are compared with the paper's form.

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "kallima/exascale.hpp"

namespace kallima::exascale {
namespace {

constexpr double phases = 3;     // of computing, n^2 lines each
constexpr double exchanges = 2;  // between them

double cube(double n) { return n * n * n; }

// Passes over memory per line. The max() of the printed form stands for the compulsory misses: every word comes in once
// even where a line fits the cache.
double passes(double n, const ComputeNode& node, Reading reading) {
  if (reading == Reading::bytes_twice_in_lines) return std::log(n) / std::log(node.cache_bytes / node.line_bytes);
  return std::max(std::log(n) / std::log(node.cache_bytes / bytes_per_word), 1.0);
}

double spread_time_s(double n, double links, double link_bytes_per_s) {
  return exchanges * cube(n) / (links * words_per_s(link_bytes_per_s));
}

// The bisection of a torus of P nodes has P^(1 - 1/d) links.
double kappa(int dimensions, double halvings) {
  require(dimensions >= 1, "no torus of {} dimensions (nothing to connect) give 1 or more", dimensions);
  return 1 - 1 / (halvings * dimensions);
}

// A plane through the middle of a dimension. It meets every ring along it: twice where that closes on itself, once
// between a pair. `share` of all words crosses it one way; a quarter if the extent is even.
struct TorusCut {
  double links;
  double share;
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

// Equation (1) without P and C: three phases of n^2 lines, five operations per butterfly point.
double flop_count(double n) {
  require(n >= 2, "no model for n = {} (there is nothing to transform) give 2 or more", n);
  return phases * n * n * 5 * n * std::log2(n);
}

// Equation (1).
double flop_time_s(double n, double nodes, double peak_flop_per_s) { return flop_count(n) / (nodes * peak_flop_per_s); }

// Equation (2). The paper's bandwidth is in words.
double memory_time_s(double n, double nodes, const ComputeNode& node, Reading reading) {
  const double words = phases * n * n / nodes * memory_constant * n * passes(n, node, reading);
  return (reading == Reading::printed ? 1 : bytes_per_word) * words / words_per_s(node.memory_bytes_per_s);
}

// Equation (6): equation (2) with P = R_peak/C_node. What is left of the node is its balance.
double memory_time_of_peak_s(double n, double peak_flop_per_s, const ComputeNode& node) {
  const double balance = balance_flop_per_word(node.peak_flop_per_s, node.memory_bytes_per_s);
  return phases * memory_constant * cube(n) * passes(n, node, Reading::printed) * balance / peak_flop_per_s;
}

// Equation (7): equations (4) and (5) with P = R_peak/C_node, both for two exchanges.
double network_time_of_peak_s(double n, double peak_flop_per_s, const ComputeNode& node, double kappa) {
  const double nodes_to_kappa = std::pow(peak_flop_per_s, kappa) / std::pow(node.peak_flop_per_s, kappa);
  return exchanges * cube(n) / (nodes_to_kappa * words_per_s(node.link_bytes_per_s));
}

// Equation (8): the local transposes, which load and store everything once per exchange.
double shuffle_time_s(double n, double nodes, double memory_bytes_per_s) {
  return exchanges * 2 * cube(n) / (nodes * words_per_s(memory_bytes_per_s));
}

// Equation (9): to a graphics processor and back, in each of the three phases of computing.
double pcie_time_s(double n, double nodes, double pcie_bytes_per_s) {
  return 2 * cube(n) / (nodes * words_per_s(pcie_bytes_per_s));
}

// Equation (10), with the constant 3A/2 that its sign of proportionality hides.
double memory_to_network(double n, double peak_flop_per_s, const ComputeNode& node, double kappa) {
  const double spread = std::pow(node.peak_flop_per_s / peak_flop_per_s, 1 - kappa);
  const double bandwidths = node.link_bytes_per_s / node.memory_bytes_per_s;
  return phases * memory_constant / exchanges * spread * bandwidths * passes(n, node, Reading::printed);
}

// The left side of equation (11), for a chip: all of its cores, all of its bandwidth.
double balance_flop_per_word(double flop_per_s, double bytes_per_s) { return flop_per_s / words_per_s(bytes_per_s); }

// The right side of equation (11). Its constant follows from T_mem <= T_flops with (1) and (2) for n beyond the cache:
// A log_Z n / beta <= 5 log2 n / C. A core has its share of the cache.
double balance_limit_flop_per_word(double cache_bytes, double cores) {
  return 5 / memory_constant * std::log2(cache_bytes / bytes_per_word / cores);
}

// Footnote 2: all but what stays, in an exchange among sqrt(P) nodes.
double words_sent_per_node(double n, double nodes) { return (std::sqrt(nodes) - 1) * cube(n) / std::pow(nodes, 1.5); }

// Equation (3).
double full_network_time_s(double n, double nodes, double link_bytes_per_s) {
  return spread_time_s(n, nodes, link_bytes_per_s);
}

// Exchanges among sqrt(P) nodes inside blocks of P^(1/2d) nodes a side: the bisection of a block has P^((d-1)/2d)
// links, and sqrt(P) blocks work at once.
double kappa_ideal(int dimensions) { return kappa(dimensions, 2); }
double kappa_bisection(int dimensions) { return kappa(dimensions, 1); }

// Equation (4) bounds one exchange; like (3) and (5) this counts both.
double torus_ideal_time_s(double n, double nodes, double link_bytes_per_s, int dimensions) {
  return spread_time_s(n, std::pow(nodes, kappa_ideal(dimensions)), link_bytes_per_s);
}

// Equation (5).
double torus_bisection_time_s(double n, double nodes, double link_bytes_per_s, int dimensions) {
  return spread_time_s(n, std::pow(nodes, kappa_bisection(dimensions)), link_bytes_per_s);
}

double torus_cut_links(std::span<const Index> extents) {
  return std::ranges::min(cuts_of(extents), {}, &TorusCut::links).links;
}

double torus_cut_time_s(double n, std::span<const Index> extents, double link_bytes_per_s) {
  return spread_time_s(n, torus_cut_links(extents) / 2, link_bytes_per_s);
}

double torus_exchange_time_s(double n, std::span<const Index> extents, double link_bytes_per_s) {
  double longest = 0;
  for (const TorusCut& cut : cuts_of(extents)) longest = std::max(longest, cut.share / cut.links);
  return exchanges * cube(n) * longest / words_per_s(link_bytes_per_s);
}

}  // namespace kallima::exascale
