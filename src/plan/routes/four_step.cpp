#include "plan/routes/four_step.hpp"

#include <algorithm>
#include <cmath>

#include "plan/exchange/axes.hpp"

namespace kallima {
namespace {

// Measured: short columns read memory best, and what phase II has in hand at once should stay in a shared cache.
constexpr Index shortest_columns = 256;

double wanted_columns(Index n, Index longest_rows) {
  const double balanced = std::sqrt(static_cast<double>(n));
  return std::min(balanced, static_cast<double>(std::max(shortest_columns, n / longest_rows)));
}

}  // namespace

Index column_length(Index n, Index p, Index longest_rows) {
  const Index m = n / p;
  if (m <= longest_line) return m;
  // R = p f with f a divisor of n/p^2: then p divides both R and n/R.
  const Index f = divisor_at_most(m / p, std::max<Index>(1, static_cast<Index>(wanted_columns(n, longest_rows)) / p));
  const bool lopsided = n / (f * p) > 16 * usual_rows && f * p < shortest_columns;  // few divisors: no use splitting
  return lopsided ? m : p * f;
}

}  // namespace kallima
