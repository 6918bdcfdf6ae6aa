#pragma once
// What Bisseling says about the parallel FFT (Parallel Scientific Computation, section 3.4), as functions, beside what
// the schedules of the route group-cyclic do. The formulas are written from the text and not read off the planner, so
// that one can judge the other. n and p are powers of two with 1 < p < n; words are real ones, two to an element.

#include <vector>

#include "kallima/machine.hpp"
#include "kallima/schedule.hpp"
#include "kallima/theory.hpp"

namespace kallima::theory {

// The index with its log2 n bits reversed: rho_n(166) = 101 for n = 256 (slide "Parallel bit reversal").
Index bit_reversal(Index j, Index n);

struct LocalIndex {
  Index processor = 0;
  Index local = 0;
  bool operator==(const LocalIndex&) const = default;
};

LocalIndex cyclic_place(Index j, Index p);
// Where an element in cyclic distribution goes: local bits and processor bits are reversed apart, and what comes out is
// a place in the block distribution (same slide: processor 6, local 20 to processor 3, local 5 for n = 256, p = 8).
LocalIndex reversed_place(const LocalIndex& place, Index n, Index p);

// The owner of x_j with cycle c: (j div b) c + (j mod b) mod c, b = ceil(cn/p) (slide "Group-cyclic distribution").
Index group_cyclic_owner(Index j, Index n, Index p, Index c);

// t = ceil(log2 p / log2(n/p)) (slide "Last iteration of main loop").
int redistributions(Index n, Index p);
// (n/p)^0, (n/p)^1, ..., (n/p)^(t-1), p, one for each of the t + 1 iterations (same slide).
std::vector<Index> cycles(Index n, Index p);

// In operations, a word costing g and a synchronisation l of them.
struct BspCost {
  double computation = 0;
  double communication = 0;
  double synchronisation = 0;
  double total() const { return computation + communication + synchronisation; }
};

// 5 n log2 n / p + t 2n/p g + (2t + 1) l (slide "BSP cost").
BspCost printed_cost(Index n, Index p, const Bsp& machine);

// What really leaves a processor, redistribution by redistribution: (2n/p)(1 - c0/c1), since c0/c1 of the elements stay
// with their owner; all 2n/p in the first of several, which undoes the reversal of the processors, too.
std::vector<double> corrected_words(Index n, Index p);

// The printed cost with these words.
BspCost corrected_cost(Index n, Index p, const Bsp& machine);

// Counted from a schedule of the route group-cyclic: for each redistribution the most words any processor sends, and
// the most computations that any processor does.
std::vector<double> counted_words(const Schedule& schedule);
int counted_computations(const Schedule& schedule);

Schedule group_cyclic_schedule(const TransformSize& size);

}  // namespace kallima::theory
