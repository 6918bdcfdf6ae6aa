// Equations (1), (2) and (6) to (11) of Czechowski et al. 2012 as they are printed. Where the paper gives an order
// only, the constants of the equations it comes from are carried along, so that (6), (7) and (10) are equalities that
// tests can hold against (2) and (5).

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
double passes(double n, const Node& node, Reading reading) {
  if (reading == Reading::bytes_twice_in_lines) return std::log(n) / std::log(node.cache_bytes / node.line_bytes);
  return std::max(std::log(n) / std::log(node.cache_bytes / bytes_per_word), 1.0);
}

double fitted_factor(Reading reading) { return reading == Reading::printed ? 1 : bytes_per_word; }

}  // namespace

// Equation (1) without P and C: three phases of n^2 lines, five operations per butterfly point.
double flop_count(double n) {
  require(n >= 2, "no model for n = {} (there is nothing to transform) give 2 or more", n);
  return phases * n * n * 5 * n * std::log2(n);
}

// Equation (1).
double flop_time_s(double n, double nodes, double peak_flop_per_s) { return flop_count(n) / (nodes * peak_flop_per_s); }

// Equation (2). The paper's bandwidth is in words.
double memory_time_s(double n, double nodes, const Node& node, Reading reading) {
  const double words = phases * n * n / nodes * memory_constant * n * passes(n, node, reading);
  return fitted_factor(reading) * words / words_per_s(node.memory_bytes_per_s);
}

// Equation (6): equation (2) with P = R_peak/C_node. What is left of the node is its balance.
double memory_time_of_peak_s(double n, double peak_flop_per_s, const Node& node) {
  const double balance = balance_flop_per_word(node.peak_flop_per_s, node.memory_bytes_per_s);
  return phases * memory_constant * cube(n) * passes(n, node, Reading::printed) * balance / peak_flop_per_s;
}

// Equation (7): equations (4) and (5) with P = R_peak/C_node, both for two exchanges.
double network_time_of_peak_s(double n, double peak_flop_per_s, const Node& node, double kappa) {
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
double memory_to_network(double n, double peak_flop_per_s, const Node& node, double kappa) {
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

}  // namespace kallima::exascale
