// Sections 3 and 4 of the paper: messages, orders, and when outputs are made and sent.

#include <algorithm>
#include <bit>

#include "lab/theory/sahay_size.hpp"

namespace kallima::theory::sahay {

void Size::check_messages() {
  const double once = static_cast<double>(runs_.messages(NodeSchedule::output_driven));
  const double log_P = static_cast<double>(s.log_P);
  const double P = static_cast<double>(s.P);
  ledger_.note({"section 3.1, messages", "n - m in all"}, here(), static_cast<double>(s.n - s.m), once);
  for (const NodeSchedule fixed : {NodeSchedule::all_cyclic, NodeSchedule::all_blocked})
    ledger_.note({"section 3.2, fixed allocation", "all cyclic or all blocked: log P times the messages",
                  "log P * P/(P-1) times (n log P messages)"},
                 here(), log_P, log_P * P / (P - 1), static_cast<double>(runs_.messages(fixed)) / once);
}

void Size::check_permutations() {
  bool good = BinaryPermutation::is_binary(std::vector<int>{4, 5, 6, 7, 3, 2, 0, 1}) &&
              !BinaryPermutation::is_binary(std::vector<int>{4, 5, 6, 7, 3, 0, 2, 1});
  for (int rank = 0; rank < s.P; ++rank) {
    const BinaryPermutation pi = BinaryPermutation::pi(static_cast<int>(s.P), static_cast<int>(s.m), rank);
    for (int q = 0; q <= s.log_m; ++q) {
      const BinaryPermutation::Parts parts = pi.decompose(q);
      good = good && BinaryPermutation::compose(parts.outer, parts.inner) == pi;
    }
    good =
        good && pi.decompose(static_cast<int>(s.log_P)).outer == BinaryPermutation::sigma(static_cast<int>(s.P), rank);
  }
  ledger_.note({"Definition 4.1, Proposition 4.1", "binary permutations fall into binary ones, for every q + r"},
               here(), 1, good);
}

void Size::check_outputs() {
  const std::vector<Index>& t = runs_.output_times();
  bool lemma = t[0] == s.m - 1;
  bool corollary = true;
  for (Index a = 0; a < s.m; ++a) {
    const Index step = a & -a;  // 2^(r-1)
    const Index r = a > 0 ? std::countr_zero(static_cast<std::uint64_t>(a)) + 1 : 0;
    if (a > 0) lemma = lemma && t[at(a)] == t[at(a - step)] + r * step;
    corollary = corollary && t[at(a)] == output_time(s, a);
  }
  ledger_.note({"Lemma 4.1", "t_0 = m - 1; t_a = t_(a - 2^(r-1)) + r 2^(r-1) for a = q 2^(r-1), q odd"}, here(), 1,
               lemma);
  ledger_.note({"Corollary 4.1", "t_a = (m - 1) + sum b_i (i+1) 2^i"}, here(), 1, corollary);
}

// Nodes of each of the last r columns, from output a - 2^(r-1) to output a.
void Size::check_increments() {
  const std::vector<int> columns = runs_.columns_in_order();
  const std::vector<Index>& t = runs_.output_times();
  for (Index a = 1; a < s.m; ++a) {
    const Index step = a & -a;
    const Index r = std::countr_zero(static_cast<std::uint64_t>(a)) + 1;
    for (Index column = s.log_m - r + 1; column <= s.log_m; ++column) {
      const auto begin = columns.begin() + t[at(a - step)];
      const auto count = std::count(begin, columns.begin() + t[at(a)], static_cast<int>(column));
      ledger_.note({"Lemma 4.1, its proof", "output a takes r/2 nodes in each of r columns",
                    "2^(r-1) nodes in each of r columns"},
                   fmt::format("m = {}, a = {}", s.m, a), static_cast<double>(r) / 2, static_cast<double>(step),
                   static_cast<double>(count));
    }
  }
}

void Size::check_sends(Index g) {
  const std::vector<Index>& t = runs_.output_times();
  const std::vector<Index> sent = runs_.send_times(g);
  bool lemma = true;
  Index last = 0;
  for (Index a = 0; a < s.m - s.l; ++a) {
    const bool undelayed = sent[at(a)] == t[at(a)];
    lemma = lemma && undelayed == sends_without_delay(a, g);
    if (undelayed) last = a;
  }
  T_ = sent.back();
  ledger_.note({"Lemma 4.2", "s_a = t_a if and only if 2^(g-1) divides a"}, here(g), 1, lemma);
  check_idling(g);
  if (s.n == s.P * s.P) return;  // what follows is said of n > P^2
  ledger_.note({"a*", "the last output sent at once: the highest index below m - l that evenly divides 2^(g-1)",
                "the largest multiple of 2^(g-1) below m - l"},
               here(g), static_cast<double>(last_undelayed_printed(s, g)),
               static_cast<double>(last_undelayed_corrected(s, g)), static_cast<double>(last));
  check_last_send(g);
}

void Size::check_last_send(Index g) {
  const double printed = static_cast<double>(last_send_printed(s, g));
  const double corrected = static_cast<double>(last_send_corrected(s, g));
  const double simulated = static_cast<double>(T_);
  constexpr const char* one = "T = m log m + 2^g - g - 1 - l max(g, log l + 1) for g <= log m";
  switch (regime(s, g)) {
    case Regime::one:
      return ledger_.note({"Theorem 4.1 (1)", "g >= log m: T = (m-1) + (m-l-1) g"}, here(g), printed, simulated);
    case Regime::two:
      return ledger_.note({"Theorem 4.1 (2)", "log l + 1 < g < log m: T = m log m + 2^g - g - 1 - l g"}, here(g),
                          printed, simulated);
    case Regime::three:
      return ledger_.note({"Theorem 4.1 (3)", "g <= log l + 1: T = m log m + (2^g - 1) - l (log l + 1)", one}, here(g),
                          printed, corrected, simulated);
  }
}

void Size::check_idling(Index g) {
  const bool none = T_ <= s.m * s.log_m;
  if (no_idling_printed(s, g))
    ledger_.note({"section 4.4, no idling", "n >= 2^g/(g P^2) gives T <= m log m",
                  "T <= m log m if and only if l max(g, log l + 1) >= 2^g - g - 1 (g <= log m)"},
                 here(g), 1, g <= s.log_m ? std::optional<double>(no_idling_exact(s, g)) : std::nullopt, none,
                 fmt::format("T = {}, m log m = {}", T_, s.m * s.log_m));
  if (no_idling_sufficient(s, g))
    ledger_.note({"section 4.4, as it must be read", "(ours) n >= (2^g/g) P^2 gives T <= m log m"}, here(g), 1, none);
}

}  // namespace kallima::theory::sahay
