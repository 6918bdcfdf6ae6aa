#pragma once
// A line of n = R1 * R2 * Q points, R1 and R2 without a common factor, as a matrix of R1 R2 rows, of which a rank holds
// columns, and later rows: x[w * Q + v] stands in row w, and row w at [w mod R1][w mod R2]. So arranged, a transform
// along columns of R1 R2 points is one of R1 and one of R2 without twiddle factors in between (Good 1958, Thomas 1963):
// three short passes over memory where two long ones would leave the caches. What is left is the caller's, who has
// whole rows of both factors then and multiplies while they are in cache: output (k1, k2) of the columns is number k =
// k1 R2 + k2 R1, wants factors omega_n^(k v), and the row's transform makes of it the numbers k + R1 R2 b.

#include <memory>

#include "kallima/plan.hpp"
#include "plan/routes/even_slabs.hpp"

namespace kallima {

struct CoprimeShape {
  Index R1 = 1, R2 = 1, Q = 1;
  Index block = 1;  // columns of a rank; the last ranks may have fewer, or none
  Index R() const { return R1 * R2; }
  Index points() const { return R() * Q; }
  Layout columns(int ranks) const { return even_slabs({R1, R2, Q}, ranks, 2, block); }
  Layout rows(int ranks) const { return even_slabs({R1, R2, Q}, ranks, 0); }
};

// Forward: along columns, then to rows. Backward: to columns, and the inverse along these.
std::unique_ptr<Plan> plan_coprime(const CoprimeShape& shape, int ranks, const PlanOptions& options);

}  // namespace kallima
