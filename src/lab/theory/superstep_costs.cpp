// Collectives in BSP (Valiant 1990). A message belongs to the superstep after as many exchanges as had to come before
// it, so a rank that has the data sends all it ever will at once: the root of a binomial tree sends log P copies in the
// first superstep, and pipelining changes nothing. Words sent or received at most, supersteps and additions are counted
// for each algorithm; the slides' one superstep per butterfly belongs to direct sending.

#include "lab/theory/superstep_costs.hpp"

#include <bit>
#include <cmath>
#include <map>

namespace kallima::theory {
namespace {

struct Count {
  double words = 0;      // the most that any rank sends or receives, summed over supersteps
  double syncs = 0;      // of communication and of computation
  double additions = 0;  // the most of any rank, summed over supersteps
};

struct Sizes {
  double s, P, h;
  double part() const { return s / P; }
};

Count operator+(const Count& a, const Count& b) {
  return {a.words + b.words, a.syncs + b.syncs, a.additions + b.additions};
}

Count tree(const Sizes& z) {
  const double depth = std::log2(z.P + 1) - 1;
  return {2 * z.s * depth, depth};
}

Count binomial(const Sizes& z) { return {z.s * z.h * (z.h + 1) / 2, z.h}; }

// The root sends 2 (P-1) segments, then rank k sends on P - k of them in superstep k.
Count ring(const Sizes& z) { return {(2 * (z.P - 1) + z.P * (z.P - 1) / 2 - 1) * z.part(), z.P - 1}; }

// In superstep k whoever heads P/2^k ranks sends all but its own part.
Count scatter(const Sizes& z) { return {2 * (z.s - z.part()) - z.h * z.part(), z.h}; }

Count gather(const Sizes& z) { return {z.s - z.part(), z.h}; }

Count reduce_scatter(const Sizes& z) { return {z.s - z.part(), 2 * z.h, z.s - z.part()}; }

Count reduce(const Sizes& z) { return reduce_scatter(z) + gather(z); }

Count scan(const Sizes& z) { return {z.s * z.h, 2 * z.h, (2 * z.h - 1) * z.s}; }

Count direct(const Sizes& z) { return {z.s - z.part(), 1}; }

Count bruck(const Sizes& z) { return {z.s / 2 * z.h, z.h}; }

struct Row {
  Count (*count)(const Sizes&);
  bool of_powers;  // holds for powers of two only
  bool of_parts;   // holds where P divides s only
};

const std::map<std::string, Row>& rows() {
  static const std::map<std::string, Row> all{{"broadcast-binary", {tree, false, false}},
                                              {"broadcast-pipelined", {tree, false, false}},
                                              {"broadcast-binomial", {binomial, true, false}},
                                              {"broadcast-ring", {ring, false, true}},
                                              {"scatter", {scatter, true, true}},
                                              {"gather", {gather, true, true}},
                                              {"allgather", {gather, true, true}},
                                              {"reduce-scatter", {reduce_scatter, true, true}},
                                              {"reduce", {reduce, true, true}},
                                              {"allreduce", {reduce, true, true}},
                                              {"scan", {scan, true, false}},
                                              {"alltoall-direct", {direct, false, true}},
                                              {"alltoall-pairwise", {direct, false, true}},
                                              {"alltoall-bruck", {bruck, true, true}}};
  return all;
}

}  // namespace

Forms superstep_cost(const Collective& c, const Bsp& machine) {
  const auto found = rows().find(c.name);
  if (found == rows().end()) return {};
  const auto P = static_cast<unsigned>(c.ranks);
  const Row& row = found->second;
  const bool needs_full = row.count == tree;
  if (needs_full && !std::has_single_bit(P + 1)) return {};
  const Count count =
      row.count({static_cast<double>(c.words), static_cast<double>(P), static_cast<double>(std::bit_width(P - 1))});
  const bool exact = (!row.of_powers || std::has_single_bit(P)) && (!row.of_parts || c.words % c.ranks == 0);
  const double flops = 2 * count.additions + 2 * machine.g * count.words + count.syncs * machine.l;
  return {.corrected = flops / machine.r, .exact = exact};
}

}  // namespace kallima::theory
