// The formulas of Bisseling's section 3.4. T_comm as printed is an upper bound: it lets every redistribution move all
// the data, of which a part stays where it is.

#include "lab/theory/bsp.hpp"

#include <numeric>

#include "base/bits.hpp"
#include "base/check.hpp"

namespace kallima::theory {
namespace {

Index log2_of(Index n) {
  Index bits = 0;
  for (; n > 1; n /= 2) ++bits;
  return bits;
}

void check(Index n, Index p) {
  require(
      power_of_two(n) && power_of_two(p) && p > 1 && p < n,
      "{} points on {} processors are outside Bisseling's scheme (it needs powers of two with 1 < p < n) give others",
      n, p);
}

}  // namespace

Index bit_reversal(Index j, Index n) { return bit_reversed(j, n); }

Place cyclic_place(Index j, Index p) { return {j % p, j / p}; }

Place reversed_place(const Place& place, Index n, Index p) {
  return {bit_reversal(place.processor, p), bit_reversal(place.local, n / p)};
}

Index group_cyclic_owner(Index j, Index n, Index p, Index c) {
  const Index block = (c * n + p - 1) / p;
  return j / block * c + j % block % c;
}

int redistributions(Index n, Index p) {
  check(n, p);
  const Index q = log2_of(p);
  const Index local = log2_of(n / p);
  return static_cast<int>((q + local - 1) / local);
}

std::vector<Index> cycles(Index n, Index p) {
  std::vector<Index> all;
  Index power = 1;
  for (int i = 0; i < redistributions(n, p); ++i, power *= n / p) all.push_back(power);
  all.push_back(p);
  return all;
}

BspCost printed_cost(Index n, Index p, const Bsp& machine) {
  const double t = redistributions(n, p);
  const double mine = static_cast<double>(n) / static_cast<double>(p);
  return {.computation = 5 * mine * static_cast<double>(log2_of(n)),
          .communication = t * 2 * mine * machine.g,
          .synchronisation = (2 * t + 1) * machine.l};
}

std::vector<double> corrected_words(Index n, Index p) {
  const std::vector<Index> c = cycles(n, p);
  const double mine = 2 * static_cast<double>(n / p);
  std::vector<double> words;
  for (std::size_t i = 0; i + 1 < c.size(); ++i) {
    const bool reverses = i == 0 && c.size() > 2;
    const double stays = static_cast<double>(c[i]) / static_cast<double>(c[i + 1]);
    words.push_back(reverses ? mine : mine * (1 - stays));
  }
  return words;
}

BspCost corrected_cost(Index n, Index p, const Bsp& machine) {
  BspCost cost = printed_cost(n, p, machine);
  const std::vector<double> words = corrected_words(n, p);
  cost.communication = std::accumulate(words.begin(), words.end(), 0.0) * machine.g;
  return cost;
}

}  // namespace kallima::theory
