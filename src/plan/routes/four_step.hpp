#pragma once
// A line of n points that is too long for a cache is n = R * Q: transforms of length R across the line, twiddle
// factors, transforms of length Q along it (Gentleman and Sande's four steps). The cyclic route is the same
// factorisation with the data exchanged in the middle, so both choose R here.

#include <algorithm>
#include <cmath>

#include "plan/exchange/axes.hpp"

namespace kallima {

// Lines of at most this many points are transformed whole.
inline constexpr Index longest_line = 8192;

// What phase II has in hand at once: as much as a shared cache holds, or little, where messages are to be looked after
// between two of them.
inline constexpr Index usual_rows = 65536;
inline constexpr Index short_rows = 4096;

// Measured: short columns read memory best, and what phase II has in hand at once should stay in a shared cache.
inline constexpr Index shortest_columns = 256;

// The R for lines of n points of which each of p ranks holds every p-th: a multiple of p, with p dividing n/R too, and
// n/R about `longest_rows` at most. n/p when a rank's n/p points are short enough to be transformed whole, or have too
// few divisors.
inline Index column_length(Index n, Index p, Index longest_rows = usual_rows) {
  const Index m = n / p;
  if (m <= longest_line) return m;
  const auto balanced = static_cast<Index>(std::sqrt(static_cast<double>(n)));
  const Index wanted = std::min(balanced, std::max(shortest_columns, n / longest_rows));
  // R = p f with f a divisor of n/p^2: then p divides both R and n/R.
  const Index f = divisor_at_most(m / p, std::max<Index>(1, wanted / p));
  const bool lopsided = n / (f * p) > 16 * usual_rows && f * p < shortest_columns;  // few divisors: no use splitting
  return lopsided ? m : p * f;
}

}  // namespace kallima
