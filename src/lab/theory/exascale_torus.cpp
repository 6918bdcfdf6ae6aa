// The network of Czechowski et al. 2012, equations (3) to (5), for tori of any number of dimensions and any shape.
// Their (5) lets all words cross P^(2/3) links in each exchange. In a real torus half of the words cross the bisection,
// a quarter each way, and a ring is cut at two places: the links are busy for an eighth of that time. Both are here;
// the paper's numbers are compared with the paper's form.

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "kallima/exascale.hpp"

namespace kallima::exascale {

namespace {

constexpr double exchanges = 2;

double words(double n) { return n * n * n; }

double spread_time_s(double n, double links, double link_bytes_per_s) {
  return exchanges * words(n) / (links * words_per_s(link_bytes_per_s));
}

void check_dimensions(int dimensions) {
  require(dimensions >= 1, "no torus of {} dimensions (nothing to connect) give 1 or more", dimensions);
}

void check_torus(std::span<const Index> extents) {
  const bool some = std::any_of(extents.begin(), extents.end(), [](Index e) { return e > 1; });
  const bool sound = std::all_of(extents.begin(), extents.end(), [](Index e) { return e >= 1; });
  require(some && sound, "no torus to cut (it needs extents from 1 and one above) give, for example, 17, 8, 24");
}

// A plane through a dimension meets every ring along it: twice where it closes on itself, once between a pair.
double links_across(std::span<const Index> extents, std::size_t dimension) {
  double links = extents[dimension] > 2 ? 2 : 1;
  for (std::size_t i = 0; i < extents.size(); ++i)
    if (i != dimension) links *= static_cast<double>(extents[i]);
  return links;
}

// The share of all words that crosses the middle of a dimension one way; a quarter if it is even.
double share_across(Index extent) {
  const auto low = static_cast<double>(extent / 2);
  const auto all = static_cast<double>(extent);
  return low * (all - low) / (all * all);
}

}  // namespace

// Equation (3).
double full_network_time_s(double n, double nodes, double link_bytes_per_s) {
  return spread_time_s(n, nodes, link_bytes_per_s);
}

// Exchanges among sqrt(P) nodes inside blocks of P^(1/2d) nodes a side: the bisection of a block has P^((d-1)/2d)
// links, and sqrt(P) blocks work at once.
double kappa_ideal(int dimensions) {
  check_dimensions(dimensions);
  return 1 - 1 / (2.0 * dimensions);
}

double kappa_bisection(int dimensions) {
  check_dimensions(dimensions);
  return 1 - 1 / static_cast<double>(dimensions);
}

// Equation (4) bounds one exchange; like (3) and (5) this counts both.
double torus_ideal_time_s(double n, double nodes, double link_bytes_per_s, int dimensions) {
  return spread_time_s(n, std::pow(nodes, kappa_ideal(dimensions)), link_bytes_per_s);
}

// Equation (5).
double torus_bisection_time_s(double n, double nodes, double link_bytes_per_s, int dimensions) {
  return spread_time_s(n, std::pow(nodes, kappa_bisection(dimensions)), link_bytes_per_s);
}

double torus_cut_links(std::span<const Index> extents) {
  check_torus(extents);
  double fewest = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] < 2) continue;
    const double links = links_across(extents, i);
    fewest = fewest == 0 ? links : std::min(fewest, links);
  }
  return fewest;
}

double torus_cut_time_s(double n, std::span<const Index> extents, double link_bytes_per_s) {
  return spread_time_s(n, torus_cut_links(extents) / 2, link_bytes_per_s);
}

double torus_exchange_time_s(double n, std::span<const Index> extents, double link_bytes_per_s) {
  check_torus(extents);
  double longest = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const double busy = share_across(extents[i]) / links_across(extents, i);
    longest = std::max(longest, busy);
  }
  return exchanges * words(n) * longest / words_per_s(link_bytes_per_s);
}

}  // namespace kallima::exascale
