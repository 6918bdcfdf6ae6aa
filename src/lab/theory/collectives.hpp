#pragma once
// What collectives should take: as Solomonik's slides print it (Design of Parallel and High-Performance Computing, ETH
// Zurich 2015), as it holds when counted carefully, and as the simulation of their schedules has it. Logarithms are to
// base 2, s are the words of a Collective and P its ranks.

#include <vector>

#include "kallima/collective.hpp"
#include "kallima/machine.hpp"
#include "kallima/theory.hpp"

namespace kallima::theory {

struct Forms {
  std::optional<double> printed = std::nullopt;
  std::optional<double> corrected = std::nullopt;
  bool exact = false;  // whether the corrected form is what simulate() gives, not near it only
  std::string note = {};
};

Forms forms(const Collective& collective, const Machine& machine);

// The parts of forms(), each in a file of its own.
std::optional<double> printed_cost(const Collective& collective, const Machine& machine);
Forms corrected_cost(const Collective& collective, const Machine& machine);

// Johnsson and Ho 1989, for packets of one size: log P alpha + 2 sqrt(s log P alpha beta) + s beta as printed, which is
// too much by about a packet; no broadcast in equal packets beats it with ceil(log P) - 1 for log P, and k at most s.
double printed_lower_bound(const AlphaBeta& machine, int ranks, Index words);
double broadcast_lower_bound(const AlphaBeta& machine, int ranks, Index words);

// sqrt(s/log P) sqrt(alpha/beta), or sqrt(g/G) in LogGP; as printed it may be less than a word or more than s.
double printed_packet(const Machine& machine, int ranks, Index words);
Index optimal_packet(const Machine& machine, int ranks, Index words);  // clamped to [1, s]

// From how many alpha/beta words on a direct all-to-all beats the butterfly; for powers of two above 2.
double alltoall_crossover(int ranks);

// How many times faster than a binomial tree a ring broadcasts very long messages: log(P)/2 as printed; what follows
// from the printed costs; and what does when the tree has its true height, ceil(log P).
double printed_ring_limit(int ranks);
double ring_limit_of_printed_costs(int ranks);
double ring_limit(int ranks);

}  // namespace kallima::theory
