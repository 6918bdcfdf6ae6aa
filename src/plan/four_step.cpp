#include "plan/four_step.hpp"

#include <cmath>

#include "plan/axes.hpp"

namespace kallima {

Index column_length(Index n, Index p) {
  const Index m = n / p;
  if (m <= longest_line) return m;
  // R = p f with f a divisor of l = n/p^2; both p f and n/(p f) are multiples of p.
  const Index f = divisor_at_most(m / p, std::max<Index>(1, static_cast<Index>(std::sqrt(static_cast<double>(n)) /
                                                                              static_cast<double>(p))));
  const bool lopsided = f * p * 64 < n / (f * p);  // l is nearly prime: splitting would not make lines short
  return lopsided ? m : p * f;
}

}  // namespace kallima
