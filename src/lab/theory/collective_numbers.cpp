// The single numbers of the slides, mended: a bound for broadcasts, the best packet, and from where on a ring and a
// direct all-to-all are worth their messages. The bound: the root cannot send its N-th packet before N - 1 others, and
// who has that one at most doubles with every message: N - 1 + ceil(log P) packets, for the best size of them.

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.hpp"
#include "lab/theory/collectives.hpp"

namespace kallima::theory {
namespace {

int height(int ranks) { return std::bit_width(static_cast<unsigned>(ranks) - 1); }

}  // namespace

double printed_lower_bound(const AlphaBeta& m, int ranks, Index words) {
  const double log_p = std::log2(ranks), s = static_cast<double>(words);
  return log_p * m.alpha + 2 * std::sqrt(s * log_p * m.alpha * m.beta) + s * m.beta;
}

double broadcast_lower_bound(const AlphaBeta& m, int ranks, Index words) {
  const double later = height(ranks) - 1, s = static_cast<double>(words);
  const double best = std::sqrt(s * m.alpha / (later * m.beta));
  const double k = later > 0 ? std::clamp(best, 1.0, s) : s;
  return (s / k + later) * (m.alpha + k * m.beta);
}

Index optimal_packet(const Machine& machine, int ranks, Index words) {
  const double k = std::clamp(printed_packet(machine, ranks, words), 1.0, static_cast<double>(words));
  return static_cast<Index>(std::lround(k));
}

double alltoall_crossover(int ranks) {
  require(std::has_single_bit(static_cast<unsigned>(ranks)) && ranks > 2,
          "on {} ranks the two all-to-alls do not cross (they are the same on 2) use a power of two above", ranks);
  const double P = ranks, log_p = std::log2(P);
  return (P - 1 - log_p) / (log_p / 2 - 1 + 1 / P);
}

double ring_limit(int ranks) {
  const double P = ranks;
  return P * height(ranks) / (2 * (P - 1));
}

}  // namespace kallima::theory
