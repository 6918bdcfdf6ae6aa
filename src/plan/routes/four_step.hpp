#pragma once
// A line of n points that is too long for a cache is n = R * Q: transforms of length R across the line, twiddle
// factors, transforms of length Q along it (Gentleman and Sande's four steps). The cyclic route is the same
// factorisation with the data exchanged in the middle, so both choose R here.

#include "kallima/types.hpp"

namespace kallima {

// Lines of at most this many points are transformed whole.
inline constexpr Index longest_line = 8192;

// What phase II has in hand at once: as much as a shared cache holds, or little, where messages are to be looked after
// between two of them.
inline constexpr Index usual_rows = 65536;
inline constexpr Index short_rows = 4096;

// The R for lines of n points of which each of p ranks holds every p-th: a multiple of p, with p dividing n/R too, and
// n/R about `longest_rows` at most. n/p when a rank's n/p points are short enough to be transformed whole, or have too
// few divisors.
Index column_length(Index n, Index p, Index longest_rows = usual_rows);

}  // namespace kallima
