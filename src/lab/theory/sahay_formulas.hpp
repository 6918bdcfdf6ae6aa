#pragma once
// Sahay 1993, formula by formula: as printed, and as they must read. n and P are powers of two, m = n/P, l = m/P, logs
// to base 2, time in butterfly nodes. Output a of phase I is finished at t_a and sent at s_a, the last one at T.

#include <algorithm>

#include "base/bits.hpp"

namespace kallima::theory::sahay {

struct PhaseSizes {
  Index n, P;
  Index m = n / P, l = m / P;
  Index log_n = log2_of(n), log_P = log2_of(P), log_m = log2_of(m), log_l = log2_of(l);
};

inline Index power(Index exponent) { return Index{1} << exponent; }

// sum over the bits b_i of a of b_i (i+1) 2^i
inline Index weighted_bits(Index a) {
  Index sum = 0;
  for (Index i = 0; (a >> i) != 0; ++i)
    if ((a >> i) & 1) sum += (i + 1) * power(i);
  return sum;
}

// Theorem 3.1
inline Index simple_time(const PhaseSizes& s, Index g, Index L) { return s.m * s.log_n + (s.m - s.l - 1) * g + L; }

// Corollary 4.1: t_a. Lemma 4.2: whether s_a = t_a.
inline Index output_time(const PhaseSizes& s, Index a) { return (s.m - 1) + weighted_bits(a); }
inline bool sends_without_delay(Index a, Index g) { return a % power(g - 1) == 0; }

// a*, "evenly divides 2^(g-1)"; and the largest multiple of 2^(g-1) below m - l.
inline Index last_undelayed_printed(const PhaseSizes& s, Index g) {
  Index best = 0;  // s_0 = t_0 in any case
  for (Index a = 1; a < s.m - s.l; ++a)
    if (power(g - 1) % a == 0) best = a;
  return best;
}
inline Index last_undelayed_corrected(const PhaseSizes& s, Index g) {
  return (s.m - s.l - 1) / power(g - 1) * power(g - 1);
}

// Theorem 4.1: T, in three regimes.
inline Index last_send_printed(const PhaseSizes& s, Index g) {
  if (g >= s.log_m) return (s.m - 1) + (s.m - s.l - 1) * g;
  if (g > s.log_l + 1) return s.m * s.log_m + power(g) - g - 1 - s.l * g;
  return s.m * s.log_m + (power(g) - 1) - s.l * (s.log_l + 1);
}
inline Index last_send_corrected(const PhaseSizes& s, Index g) {
  if (g >= s.log_m) return (s.m - 1) + (s.m - s.l - 1) * g;
  return s.m * s.log_m + power(g) - g - 1 - s.l * std::max(g, s.log_l + 1);
}

// Section 4.3, and 4.4: n >= 2^g/(g P^2) as printed, n >= (2^g/g) P^2 as sufficient, and exactly for g <= log m.
inline Index waiting_time(const PhaseSizes& s, Index T, Index L) {
  return std::max(T + L, s.m * s.log_m) + s.m * s.log_P;
}
inline bool no_idling_printed(const PhaseSizes& s, Index g) { return s.n * g * s.P * s.P >= power(g); }
inline bool no_idling_sufficient(const PhaseSizes& s, Index g) { return s.n * g >= power(g) * s.P * s.P; }
inline bool no_idling_exact(const PhaseSizes& s, Index g) { return s.l * std::max(g, s.log_l + 1) >= power(g) - g - 1; }

// Fact 5.2: delta_il is 2 (2^j - 1) for the j ones of i that stand together, from `bit` downwards. As printed the first
// bit is b_0, and nothing is said of leading zeros.
inline Index enabled_from(Index i, Index bit) {
  Index ones = 0;
  for (; bit >= 0 && ((i >> bit) & 1); --bit) ++ones;
  return 2 * (power(ones) - 1);
}
inline Index enabled_printed(Index i) { return enabled_from(i, i > 0 ? log2_of(i) : 0); }
inline Index enabled_corrected(const PhaseSizes& s, Index i) { return enabled_from(i, s.log_P - 1); }

// Theorem 5.1 speaks of n < 2^g P. Its second case has m/2^(j*-2) and must have m 2^(1-j*), here in whole numbers.
inline bool small_case(const PhaseSizes& s, Index g) { return s.n < power(g) * s.P; }
inline Index j_star(Index g) { return log2_of(g + 1); }  // ceil(log(g + 2)) - 1
inline Index input_driven(const PhaseSizes& s, Index g, Index L, Index saved) {
  const bool scarce = g > 2 * s.P - 2;
  const Index last = scarce ? s.m - 1 : s.m - (s.m >> j_star(g));
  const Index R = scarce ? 2 * s.P - 2 : s.m * s.log_P - saved;
  return std::max(s.m * s.log_n, (s.m - 1) + L + (last - s.l) * g + R);
}
inline Index input_driven_printed(const PhaseSizes& s, Index g, Index L) {
  return input_driven(s, g, L, s.m * (j_star(g) - 3) + 4 * s.m / power(j_star(g)));
}
inline Index input_driven_corrected(const PhaseSizes& s, Index g, Index L) {
  return input_driven(s, g, L, s.m * (j_star(g) - 2) + 2 * s.m / power(j_star(g)));
}

// Without stalling.
inline Index bad_order_communication(const PhaseSizes& s, Index g, Index L) {
  return ((2 * s.P - 3) * s.l - 1) * g + L;
}

// Long messages: one block of l words per destination, G per word.
inline Index block_ready(const PhaseSizes& s, Index b) {
  return s.l * ((s.P - 1) + weighted_bits(b) + (b + 1) * s.log_l);
}
inline bool blocks_hidden(const PhaseSizes& s, Index G, Index L) { return L + G * s.l <= s.l * (s.log_l + 1); }

}  // namespace kallima::theory::sahay
