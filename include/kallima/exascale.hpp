#pragma once
// What a 3-D FFT of n^3 points costs on a machine that is only a handful of numbers: Czechowski et al. 2012, "On the
// communication complexity of 3D FFTs and its implications for exascale". Their equations (1) to (11) as pure
// functions, their projections for 2020 as data, and every number they print beside the one that follows from the
// equations. Where the paper gives an order only, the constants of the equations it comes from are carried along, so
// that (6), (7) and (10) are equalities that tests can hold against (2) and (5). Names end in units; a word is a
// complex number of 16 bytes, and bandwidths are given in bytes per second.

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "kallima/types.hpp"

namespace kallima::exascale {

inline constexpr double bytes_per_word = 16;
inline constexpr double memory_constant = 6.3;  // A of equation (2), which the authors measured
inline constexpr double problem_side = 21000;   // n of section 6

constexpr double words_per_s(double bytes_per_s) { return bytes_per_s / bytes_per_word; }

// One processor, which is one node.
struct ComputeNode {
  double peak_flop_per_s = 0;
  double cores = 0;
  double memory_bytes_per_s = 0;
  double cache_bytes = 0;
  double line_bytes = 0;
  double link_bytes_per_s = 0;
};

// How equation (2) is read: as it is printed, or as section 6 seems to have evaluated it. The others are fits made
// after the fact: the 16 bytes of a word applied twice, and in addition the cache counted in lines and no max().
enum class Reading { printed, bytes_twice, bytes_twice_in_lines };

inline constexpr double phases = 3;     // of computing, n^2 lines each
inline constexpr double exchanges = 2;  // between them

// Without P and C, five operations per butterfly point. Throws Error for n < 2.
double flop_count(double n);

// The power of the number of nodes that the bandwidth of a torus grows with: through its bisection, which has P^(1 -
// 1/d) links; or with a good mapping, exchanges among sqrt(P) nodes inside blocks of P^(1/2d) nodes a side: the
// bisection of a block has P^((d-1)/2d) links, and sqrt(P) blocks work at once.
double kappa_bisection(int dimensions);
double kappa_ideal(int dimensions);

// Passes over memory per line. The max() of the printed form stands for the compulsory misses: every word comes in once
// even where a line fits the cache.
inline double passes(double n, const ComputeNode& node, Reading reading) {
  if (reading == Reading::bytes_twice_in_lines) return std::log(n) / std::log(node.cache_bytes / node.line_bytes);
  return std::max(std::log(n) / std::log(node.cache_bytes / bytes_per_word), 1.0);
}

inline double flop_time_s(double n, double nodes, double peak_flop_per_s) {  // (1)
  return flop_count(n) / (nodes * peak_flop_per_s);
}
// (2)
inline double memory_time_s(double n, double nodes, const ComputeNode& node, Reading reading = Reading::printed) {
  const double words = phases * n * n / nodes * memory_constant * n * passes(n, node, reading);
  return (reading == Reading::printed ? 1 : bytes_per_word) * words / words_per_s(node.memory_bytes_per_s);
}
inline double full_network_time_s(double n, double links, double link_bytes_per_s) {  // (3), a link for each node
  return exchanges * (n * n * n) / (links * words_per_s(link_bytes_per_s));
}
// (4) bounds one exchange; like (3) and (5) this counts both.
inline double torus_ideal_time_s(double n, double nodes, double link_bytes_per_s, int dimensions = 3) {
  return full_network_time_s(n, std::pow(nodes, kappa_ideal(dimensions)), link_bytes_per_s);
}
inline double torus_bisection_time_s(double n, double nodes, double link_bytes_per_s, int dimensions = 3) {  // (5)
  return full_network_time_s(n, std::pow(nodes, kappa_bisection(dimensions)), link_bytes_per_s);
}
inline double balance_flop_per_word(double flop_per_s, double bytes_per_s) {  // (11), left: of all cores of a chip
  return flop_per_s / words_per_s(bytes_per_s);
}
// (6) is (2) with P = R_peak/C_node. What is left of the node is its balance.
inline double memory_time_of_peak_s(double n, double peak_flop_per_s, const ComputeNode& node) {
  const double balance = balance_flop_per_word(node.peak_flop_per_s, node.memory_bytes_per_s);
  return phases * memory_constant * (n * n * n) * passes(n, node, Reading::printed) * balance / peak_flop_per_s;
}
// (7) is (4) and (5) with P = R_peak/C_node, both for two exchanges.
inline double network_time_of_peak_s(double n, double peak_flop_per_s, const ComputeNode& node, double kappa) {
  const double nodes_to_kappa = std::pow(peak_flop_per_s, kappa) / std::pow(node.peak_flop_per_s, kappa);
  return full_network_time_s(n, nodes_to_kappa, node.link_bytes_per_s);
}
// (8): the local transposes, which load and store everything once per exchange.
inline double shuffle_time_s(double n, double nodes, double memory_bytes_per_s) {
  return exchanges * 2 * (n * n * n) / (nodes * words_per_s(memory_bytes_per_s));
}
// (9): to a graphics processor and back, in each of the three phases of computing.
inline double pcie_time_s(double n, double nodes, double pcie_bytes_per_s) {
  return 2 * (n * n * n) / (nodes * words_per_s(pcie_bytes_per_s));
}
// (10), with the constant 3A/2 that its sign of proportionality hides.
inline double memory_to_network(double n, double peak_flop_per_s, const ComputeNode& node, double kappa) {
  const double spread = std::pow(node.peak_flop_per_s / peak_flop_per_s, 1 - kappa);
  const double bandwidths = node.link_bytes_per_s / node.memory_bytes_per_s;
  return phases * memory_constant / exchanges * spread * bandwidths * passes(n, node, Reading::printed);
}
// (11), right. Its constant follows from T_mem <= T_flops with (1) and (2) for n beyond the cache:
// A log_Z n / beta <= 5 log2 n / C. A core has its share of the cache.
inline double balance_limit_flop_per_word(double cache_bytes, double cores) {
  return 5 / memory_constant * std::log2(cache_bytes / bytes_per_word / cores);
}
// Footnote 2: all but what stays, in one exchange among sqrt(P) nodes.
inline double words_sent_per_node(double n, double nodes) {
  return (std::sqrt(nodes) - 1) * (n * n * n) / std::pow(nodes, 1.5);
}

// A torus of any shape: links through its narrowest cut (a ring of more than two is cut twice), the time of equation
// (5) with half that number in the place of P^(2/3), which for a cube is the same, and the time for which the busiest
// cut is really occupied, an eighth of it.
double torus_cut_links(std::span<const Index> extents);
double torus_cut_time_s(double n, std::span<const Index> extents, double link_bytes_per_s);
double torus_exchange_time_s(double n, std::span<const Index> extents, double link_bytes_per_s);

// Table 1. Texts stand as printed, so that their digits say how exact they are.
enum class Lane { cpu, gpu };  // the two "swim lanes"
struct Trend {
  std::string parameter, symbol;
  std::string value_2010, unit_2010;
  std::string doubling_years, factor;
  std::string value_2020, unit_2020;
};
std::span<const Trend> table1();
const Trend& trend(std::string_view symbol);
inline double growth(double years, double doubling_years) { return std::exp2(years / doubling_years); }
double value_in(const Trend& trend, double year);  // from 2010 by its doubling time, in units without prefix
double printed_2020(const Trend& trend);           // likewise

enum class Column { printed, extrapolated };  // of 2020: as in the table, or from 2010 by doubling times
ComputeNode node_in(Lane lane, double year);
ComputeNode node_2020(Lane lane, Column column);

// The four machines of Figure 5.
struct Times {
  double memory_s = 0, network_s = 0;
  double sum_s() const { return memory_s + network_s; }               // nothing overlaps
  double longest_s() const { return std::max(memory_s, network_s); }  // everything does
};
struct System {
  std::string name;
  ComputeNode node;
  double nodes = 0;
  Times times;
};
struct Lanes {
  ComputeNode cpu, gpu;
  double peak_flop_per_s = 0;
};
Lanes lanes_2020(Column column);
inline Times times(double n, const ComputeNode& node, double nodes, Reading reading = Reading::printed) {
  return {memory_time_s(n, nodes, node, reading), torus_bisection_time_s(n, nodes, node.link_bytes_per_s)};
}
std::vector<System> scenarios(double n, const Lanes& lanes, Reading reading = Reading::printed);

// The number of nodes for which a time that falls with it is `target_s`.
double nodes_for(const std::function<double(double)>& time_s, double target_s);

// Figure 6: memory time over network time from 2010 to 2020, where the problem grows with the number of nodes.
struct Line {
  std::string name;
  std::vector<double> ratios;
};
struct Ratios {
  std::vector<int> years;
  std::vector<Line> lines;
};
Ratios memory_to_network_2010_2020(Reading reading = Reading::printed);

// A number of the paper and the same computed. It agrees where the computed one rounds to the printed digits; within
// the inputs, where it would if they were as far off as their own printed digits allow.
enum class Verdict { agrees, within_inputs, differs, given };  // given: measured or chosen by the authors
struct Claim {
  std::string section = {};
  std::string claim = {};
  std::string where = {};
  std::string printed = {};
  std::string unit = {};
  double printed_value = 0;
  std::optional<double> computed = std::nullopt;
  std::optional<double> difference = std::nullopt;  // computed over printed, less one; not of bounds
  Verdict verdict = Verdict::given;
  std::string note = {};
  bool agrees() const { return verdict == Verdict::agrees; }
};
std::vector<Claim> claims(double n = problem_side);
const char* text(Verdict verdict);

}  // namespace kallima::exascale
