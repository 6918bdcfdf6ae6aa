#pragma once
// A line of n = R * Q points that a rank holds as columns of a matrix of R rows, x[w * Q + v], and that is left as rows
// of it: one exchange for any number of ranks, and neighbours stay together, unlike in the cyclic layout. What is done
// is a transform along columns, factors omega_n^(a v), and one along rows, whose output b of row a is number b * R + a.

#include <memory>

#include "kallima/plan.hpp"
#include "plan/routes/even_slabs.hpp"

namespace kallima {

struct TwistedShape {
  Index R = 1, Q = 1;
  Index block = 1;  // columns of a rank; the last ranks may have fewer, or none
  Index points() const { return R * Q; }
  Layout columns(int ranks) const { return even_slabs({R, Q}, ranks, 1, block); }
  Layout rows(int ranks) const { return even_slabs({R, Q}, ranks, 0); }
};

// Whether the passes along rows have factors, too, with modulus 2n: those are not a transform's, but backends that are
// no Fourier transforms learn from a pass's factors which lines it has.
enum class LineNumbers { no, yes };

std::unique_ptr<Plan> plan_twisted(const TwistedShape& shape, int ranks, const PlanOptions& options,
                                   LineNumbers line_numbers = LineNumbers::no);

}  // namespace kallima
