#pragma once
// What collectives should take: as Solomonik's slides print it (Design of Parallel and High-Performance Computing, ETH
// Zurich 2015), as it holds when counted carefully, and as the simulation of their schedules has it. Logarithms are to
// base 2, s are the words of a Collective and P its ranks.

#include <algorithm>
#include <bit>

#include "base/check.hpp"
#include "kallima/collective.hpp"
#include "kallima/machine.hpp"
#include "kallima/theory.hpp"

namespace kallima::theory {

// Printed and corrected, which is exact where it is what simulate() gives, not near it only.
Comparison forms(const Collective& collective, const Machine& machine);

inline int height(int ranks) { return std::bit_width(static_cast<unsigned>(ranks) - 1); }  // of a binomial tree

// Johnsson and Ho 1989, for packets of one size: log P alpha + 2 sqrt(s log P alpha beta) + s beta as printed, which is
// too much by about a packet; no broadcast in equal packets beats it with ceil(log P) - 1 for log P, and k at most s.
inline double printed_lower_bound(const AlphaBeta& m, int ranks, Index words) {
  const double log_p = std::log2(ranks), s = static_cast<double>(words);
  return log_p * m.alpha + 2 * std::sqrt(s * log_p * m.alpha * m.beta) + s * m.beta;
}
inline double broadcast_lower_bound(const AlphaBeta& m, int ranks, Index words) {
  const double later = height(ranks) - 1, s = static_cast<double>(words);
  const double best = std::sqrt(s * m.alpha / (later * m.beta));
  const double k = later > 0 ? std::clamp(best, 1.0, s) : s;
  return (s / k + later) * (m.alpha + k * m.beta);
}

// sqrt(s/log P) sqrt(alpha/beta), or sqrt(g/G) in LogGP; as printed it may be less than a word or more than s.
inline double printed_packet(const Machine& machine, int ranks, Index words) {
  const double shape = static_cast<double>(words) / std::log2(ranks);
  if (const auto* m = std::get_if<AlphaBeta>(&machine.model)) return std::sqrt(shape * m->alpha / m->beta);
  if (const auto* m = std::get_if<Loggp>(&machine.model)) return std::sqrt(shape * m->g / m->G);
  return 1;
}
inline Index optimal_packet(const Machine& machine, int ranks, Index words) {  // clamped to [1, s]
  const double k = std::clamp(printed_packet(machine, ranks, words), 1.0, static_cast<double>(words));
  return static_cast<Index>(std::lround(k));
}

// From how many alpha/beta words on a direct all-to-all beats the butterfly; for powers of two above 2.
inline double alltoall_crossover(int ranks) {
  require(std::has_single_bit(static_cast<unsigned>(ranks)) && ranks > 2,
          "on {} ranks the two all-to-alls do not cross (they are the same on 2) use a power of two above", ranks);
  const double P = ranks, log_p = std::log2(P);
  return (P - 1 - log_p) / (log_p / 2 - 1 + 1 / P);
}

}  // namespace kallima::theory
