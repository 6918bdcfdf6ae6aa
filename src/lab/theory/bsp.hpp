#pragma once
// What Bisseling says about the parallel FFT (Parallel Scientific Computation, section 3.4), as functions, beside what
// the schedules of the route group-cyclic do. The formulas are written from the text and not read off the planner, so
// that one can judge the other. n and p are powers of two with 1 < p < n; words are real ones, two to an element.

#include <numeric>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "kallima/machine.hpp"
#include "kallima/schedule.hpp"
#include "kallima/theory.hpp"

namespace kallima::theory {

struct LocalIndex {
  Index processor = 0, local = 0;
  bool operator==(const LocalIndex&) const = default;
};

inline LocalIndex cyclic_place(Index j, Index p) { return {j % p, j / p}; }
// Where an element in cyclic distribution goes: local bits and processor bits are reversed apart, and what comes out is
// a place in the block distribution (same slide: processor 6, local 20 to processor 3, local 5 for n = 256, p = 8).
inline LocalIndex reversed_place(const LocalIndex& place, Index n, Index p) {
  return {bit_reversed(place.processor, p), bit_reversed(place.local, n / p)};
}

// t = ceil(log2 p / log2(n/p)) (slide "Last iteration of main loop").
inline int redistributions(Index n, Index p) {
  require(
      power_of_two(n) && power_of_two(p) && p > 1 && p < n,
      "{} points on {} processors are outside Bisseling's scheme (it needs powers of two with 1 < p < n) give others",
      n, p);
  const int local = log2_of(n / p);
  return (log2_of(p) + local - 1) / local;
}
// (n/p)^0, (n/p)^1, ..., (n/p)^(t-1), p, one for each of the t + 1 iterations (same slide).
inline std::vector<Index> cycles(Index n, Index p) {
  std::vector<Index> all;
  Index power = 1;
  for (int i = 0; i < redistributions(n, p); ++i, power *= n / p) all.push_back(power);
  all.push_back(p);
  return all;
}

inline double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// In operations, a word costing g and a synchronisation l of them.
struct BspCost {
  double computation = 0, communication = 0, synchronisation = 0;
  double total() const { return computation + communication + synchronisation; }
};

// 5 n log2 n / p + t 2n/p g + (2t + 1) l (slide "BSP cost").
inline BspCost printed_cost(Index n, Index p, const Bsp& machine) {
  const double t = redistributions(n, p);
  const double mine = static_cast<double>(n) / static_cast<double>(p);
  return {.computation = 5 * mine * log2_of(n),
          .communication = t * 2 * mine * machine.g,
          .synchronisation = (2 * t + 1) * machine.l};
}

// What really leaves a processor, redistribution by redistribution: (2n/p)(1 - c0/c1), since c0/c1 of the elements stay
// with their owner; all 2n/p in the first of several, which undoes the reversal of the processors, too.
inline std::vector<double> corrected_words(Index n, Index p) {
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

// The printed cost with these words.
inline BspCost corrected_cost(Index n, Index p, const Bsp& machine) {
  BspCost cost = printed_cost(n, p, machine);
  cost.communication = sum(corrected_words(n, p)) * machine.g;
  return cost;
}

Schedule group_cyclic_schedule(const TransformSize& size);
std::vector<double> counted_words(const Schedule& schedule);  // the most that a processor sends, by redistribution

}  // namespace kallima::theory
