#include "lab/theory/sahay_formulas.hpp"

#include <algorithm>

#include "base/bits.hpp"

namespace kallima::theory::sahay {
namespace {

Index power(Index exponent) { return Index{1} << exponent; }

// sum over the bits b_i of a of b_i (i+1) 2^i
Index weighted_bits(Index a) {
  Index sum = 0;
  for (Index i = 0; (a >> i) != 0; ++i)
    if ((a >> i) & 1) sum += (i + 1) * power(i);
  return sum;
}

Index j_star(Index g) { return log2_of(g + 1); }  // ceil(log(g + 2)) - 1

// 2 (2^j - 1) for the j ones of i that stand together, from `bit` downwards.
Index enabled_by(Index i, Index bit) {
  Index ones = 0;
  for (; bit >= 0 && ((i >> bit) & 1); --bit) ++ones;
  return 2 * (power(ones) - 1);
}

// Theorem 5.1 up to R in its second case.
Index input_driven(const PhaseSizes& s, Index g, Index L, Index rest) {
  const bool scarce = g > 2 * s.P - 2;
  const Index last = scarce ? s.m - 1 : s.m - (s.m >> j_star(g));
  const Index R = scarce ? 2 * s.P - 2 : rest;
  return std::max(s.m * s.log_n, (s.m - 1) + L + (last - s.l) * g + R);
}

}  // namespace

PhaseSizes::PhaseSizes(Index its_n, Index its_P)
    : n(its_n),
      P(its_P),
      m(n / P),
      l(m / P),
      log_n(log2_of(n)),
      log_P(log2_of(P)),
      log_m(log2_of(m)),
      log_l(log2_of(l)) {}

Index simple_time(const PhaseSizes& s, Index g, Index L) { return s.m * s.log_n + (s.m - s.l - 1) * g + L; }

Index output_time(const PhaseSizes& s, Index a) { return (s.m - 1) + weighted_bits(a); }

bool sends_without_delay(Index a, Index g) { return a % power(g - 1) == 0; }

Index last_undelayed_printed(const PhaseSizes& s, Index g) {
  Index best = 0;  // s_0 = t_0 in any case
  for (Index a = 1; a < s.m - s.l; ++a)
    if (power(g - 1) % a == 0) best = a;
  return best;
}

Index last_undelayed_corrected(const PhaseSizes& s, Index g) { return (s.m - s.l - 1) / power(g - 1) * power(g - 1); }

Regime regime(const PhaseSizes& s, Index g) {
  return g >= s.log_m ? Regime::one : g > s.log_l + 1 ? Regime::two : Regime::three;
}

Index last_send_printed(const PhaseSizes& s, Index g) {
  if (regime(s, g) == Regime::one) return (s.m - 1) + (s.m - s.l - 1) * g;
  if (regime(s, g) == Regime::two) return s.m * s.log_m + power(g) - g - 1 - s.l * g;
  return s.m * s.log_m + (power(g) - 1) - s.l * (s.log_l + 1);
}

Index last_send_corrected(const PhaseSizes& s, Index g) {
  if (g >= s.log_m) return (s.m - 1) + (s.m - s.l - 1) * g;
  return s.m * s.log_m + power(g) - g - 1 - s.l * std::max(g, s.log_l + 1);
}

Index waiting_time(const PhaseSizes& s, Index T, Index L) { return std::max(T + L, s.m * s.log_m) + s.m * s.log_P; }

bool no_idling_printed(const PhaseSizes& s, Index g) { return s.n * g * s.P * s.P >= power(g); }

bool no_idling_sufficient(const PhaseSizes& s, Index g) { return s.n * g >= power(g) * s.P * s.P; }

bool no_idling_exact(const PhaseSizes& s, Index g) { return s.l * std::max(g, s.log_l + 1) >= power(g) - g - 1; }

// As printed the first bit is b_0, and nothing is said of leading zeros.
Index enabled_printed(Index i) { return enabled_by(i, i > 0 ? log2_of(i) : 0); }

Index enabled_corrected(const PhaseSizes& s, Index i) { return enabled_by(i, s.log_P - 1); }

bool small_case(const PhaseSizes& s, Index g) { return s.n < power(g) * s.P; }

// m/2^(j*-2) and m 2^(1-j*), in whole numbers.
Index input_driven_printed(const PhaseSizes& s, Index g, Index L) {
  const Index j = j_star(g);
  return input_driven(s, g, L, s.m * s.log_P - (s.m * (j - 3) + 4 * s.m / power(j)));
}

Index input_driven_corrected(const PhaseSizes& s, Index g, Index L) {
  const Index j = j_star(g);
  return input_driven(s, g, L, s.m * s.log_P - (s.m * (j - 2) + 2 * s.m / power(j)));
}

Index bad_order_communication(const PhaseSizes& s, Index g, Index L) { return ((2 * s.P - 3) * s.l - 1) * g + L; }

Index block_ready(const PhaseSizes& s, Index b) { return s.l * ((s.P - 1) + weighted_bits(b) + (b + 1) * s.log_l); }

bool blocks_hidden(const PhaseSizes& s, Index G, Index L) { return L + G * s.l <= s.l * (s.log_l + 1); }

}  // namespace kallima::theory::sahay
