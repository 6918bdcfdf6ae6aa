#pragma once
// Sahay 1993, formula by formula: as printed, and as they must read. n and P are powers of two, m = n/P, l = m/P, logs
// to base 2, time in butterfly nodes. t_a is when output a of phase I is finished, s_a when it is sent, T when the last
// is.

#include <vector>

#include "kallima/types.hpp"

namespace kallima::theory::sahay {

struct PhaseSizes {
  PhaseSizes(Index n, Index P);
  Index n, P, m, l;
  Index log_n, log_P, log_m, log_l;
};

Index simple_time(const PhaseSizes& s, Index g, Index L);  // Theorem 3.1

Index output_time(const PhaseSizes& s, Index a);               // Corollary 4.1: t_a
bool sends_without_delay(Index a, Index g);                    // Lemma 4.2: whether s_a = t_a
Index last_undelayed_printed(const PhaseSizes& s, Index g);    // a*, "evenly divides 2^(g-1)"
Index last_undelayed_corrected(const PhaseSizes& s, Index g);  // the largest multiple of 2^(g-1) below m - l
enum class Regime { one, two, three };                         // of Theorem 4.1
Regime regime(const PhaseSizes& s, Index g);
Index last_send_printed(const PhaseSizes& s, Index g);  // Theorem 4.1: T
Index last_send_corrected(const PhaseSizes& s, Index g);
Index waiting_time(const PhaseSizes& s, Index T, Index L);  // section 4.3
bool no_idling_printed(const PhaseSizes& s, Index g);       // section 4.4: n >= 2^g/(g P^2)
bool no_idling_sufficient(const PhaseSizes& s, Index g);    // n >= (2^g/g) P^2
bool no_idling_exact(const PhaseSizes& s, Index g);         // for g <= log m

Index enabled_printed(Index i);  // Fact 5.2: delta_il
Index enabled_corrected(const PhaseSizes& s, Index i);
bool small_case(const PhaseSizes& s, Index g);                      // Theorem 5.1 speaks of n < 2^g P
Index input_driven_printed(const PhaseSizes& s, Index g, Index L);  // Theorem 5.1
Index input_driven_corrected(const PhaseSizes& s, Index g, Index L);

Index bad_order_communication(const PhaseSizes& s, Index g, Index L);  // without stalling

// Long messages: one block of l words per destination, G per word.
Index block_ready(const PhaseSizes& s, Index b);
bool blocks_hidden(const PhaseSizes& s, Index G, Index L);

}  // namespace kallima::theory::sahay
