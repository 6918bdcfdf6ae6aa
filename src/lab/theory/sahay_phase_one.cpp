// Sections 3 and 4 of the paper: messages, orders, and when outputs are made and sent.

#include <algorithm>
#include <bit>

#include "lab/theory/sahay_check.hpp"

namespace kallima::theory::sahay {

void SizeCheck::check_messages() {
  const double once = real(runs_.messages(NodeSchedule::output_driven)), log_P = real(s.log_P), P = real(s.P);
  book_.note({3, "section 3.1, messages", "n - m in all"}, here(), s.n - s.m, once);
  for (const NodeSchedule fixed : {NodeSchedule::all_cyclic, NodeSchedule::all_blocked})
    book_.note({5, "section 3.2, fixed allocation", "all cyclic or all blocked: log P times the messages",
                "log P * P/(P-1) times (n log P messages)"},
               here(), log_P, log_P * P / (P - 1), real(runs_.messages(fixed)) / once);
}

void SizeCheck::check_permutations() {
  const int P = static_cast<int>(s.P);
  bool good = BinaryPermutation::is_binary(std::vector<int>{4, 5, 6, 7, 3, 2, 0, 1}) &&
              !BinaryPermutation::is_binary(std::vector<int>{4, 5, 6, 7, 3, 0, 2, 1});
  for (int rank = 0; rank < P; ++rank) {
    const BinaryPermutation pi = BinaryPermutation::pi(P, static_cast<int>(s.m), rank);
    for (int q = 0; q <= s.log_m; ++q) {
      const BinaryPermutation::Parts parts = pi.decompose(q);
      good = good && BinaryPermutation::compose(parts.outer, parts.inner) == pi;
    }
    good = good && pi.decompose(static_cast<int>(s.log_P)).outer == BinaryPermutation::sigma(P, rank);
  }
  book_.note({8, "Definition 4.1, Proposition 4.1", "binary permutations fall into binary ones, for every q + r"},
             here(), 1, good);
}

// Every output a > 0 is q 2^(r-1) with q odd. From output a - 2^(r-1) to it, each of the last r columns has 2^(r-1)
// nodes more.
void SizeCheck::check_outputs() {
  const std::vector<Index>& t = runs_.output_times();
  bool lemma = t[0] == s.m - 1, corollary = t[0] == output_time(s, 0);
  for (Index a = 1; a < s.m; ++a) {
    const Index step = a & -a, r = std::countr_zero(static_cast<std::uint64_t>(a)) + 1;
    lemma = lemma && t[at(a)] == t[at(a - step)] + r * step;
    corollary = corollary && t[at(a)] == output_time(s, a);
  }
  book_.note({11, "Lemma 4.1", "t_0 = m - 1; t_a = t_(a - 2^(r-1)) + r 2^(r-1) for a = q 2^(r-1), q odd"}, here(), 1,
             lemma);
  book_.note({13, "Corollary 4.1", "t_a = (m - 1) + sum b_i (i+1) 2^i"}, here(), 1, corollary);
}

void SizeCheck::check_increments() {
  const std::vector<int> columns = runs_.columns_in_order();
  const std::vector<Index>& t = runs_.output_times();
  for (Index a = 1; a < s.m; ++a) {
    const Index step = a & -a, r = std::countr_zero(static_cast<std::uint64_t>(a)) + 1;
    for (Index column = s.log_m - r + 1; column <= s.log_m; ++column)
      book_.note({12, "Lemma 4.1, its proof", "output a takes r/2 nodes in each of r columns",
                  "2^(r-1) nodes in each of r columns"},
                 fmt::format("m = {}, a = {}", s.m, a), real(r) / 2, step,
                 std::count(columns.begin() + t[at(a - step)], columns.begin() + t[at(a)], static_cast<int>(column)));
  }
}

void SizeCheck::check_sends(Index g) {
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
  book_.note({14, "Lemma 4.2", "s_a = t_a if and only if 2^(g-1) divides a"}, here(g), 1, lemma);
  check_idling(g);
  if (s.n == s.P * s.P) return;  // what follows is said of n > P^2
  book_.note({15, "a*", "the last output sent at once: the highest index below m - l that evenly divides 2^(g-1)",
              "the largest multiple of 2^(g-1) below m - l"},
             here(g), last_undelayed_printed(s, g), last_undelayed_corrected(s, g), last);
  check_last_send(g);
}

void SizeCheck::check_last_send(Index g) {
  const Index printed = last_send_printed(s, g);
  switch (regime(s, g)) {
    case Regime::one:
      return book_.note({16, "Theorem 4.1 (1)", "g >= log m: T = (m-1) + (m-l-1) g"}, here(g), printed, T_);
    case Regime::two:
      return book_.note({17, "Theorem 4.1 (2)", "log l + 1 < g < log m: T = m log m + 2^g - g - 1 - l g"}, here(g),
                        printed, T_);
    case Regime::three:
      return book_.note({18, "Theorem 4.1 (3)", "g <= log l + 1: T = m log m + (2^g - 1) - l (log l + 1)",
                         "T = m log m + 2^g - g - 1 - l max(g, log l + 1) for g <= log m"},
                        here(g), printed, last_send_corrected(s, g), T_);
  }
}

void SizeCheck::check_idling(Index g) {
  const bool none = T_ <= s.m * s.log_m;
  const auto exact = g <= s.log_m ? std::optional<double>(no_idling_exact(s, g)) : std::nullopt;
  if (no_idling_printed(s, g))
    book_.note({19, "section 4.4, no idling", "n >= 2^g/(g P^2) gives T <= m log m",
                "T <= m log m if and only if l max(g, log l + 1) >= 2^g - g - 1 (g <= log m)"},
               {here(g), 1, exact, real(none), fmt::format("T = {}, m log m = {}", T_, s.m * s.log_m)});
  if (no_idling_sufficient(s, g))
    book_.note({20, "section 4.4, as it must be read", "(ours) n >= (2^g/g) P^2 gives T <= m log m"}, here(g), 1, none);
}

}  // namespace kallima::theory::sahay
