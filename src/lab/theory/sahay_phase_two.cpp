// Section 5 of the paper, whole running times, and what holds beyond it: overhead and long messages.

#include <algorithm>

#include "lab/theory/sahay_check.hpp"

namespace kallima::theory::sahay {

void SizeCheck::check_enabled() {
  delta_ = runs_.enabled();
  bool equal_in_block = true;
  for (Index i = 0; i < s.m; ++i) equal_in_block = equal_in_block && delta_[at(i)] == delta_[at(i / s.l * s.l)];
  book_.note({22, "Fact 5.1", "delta_(il+j) = delta_il for j < l"}, here(), 1, equal_in_block);
  for (Index i = 0; i < s.P; ++i)
    book_.note({23, "Fact 5.2", "delta_il = 2 (2^j - 1), j the first zero of b_0 b_1 ..., the bits of i",
                "b_0 is the first of log P bits, leading zeros included; i the block, 0 the local one"},
               here(), enabled_printed(i), enabled_corrected(s, i), delta_[at(i * s.l)]);
  book_.note({24, "Fact 5.3", "delta_i >= delta_(i-1)"}, here(), 1, std::ranges::is_sorted(delta_));
  work_left_.assign(at(s.m + 1), 0);
  for (Index i = s.m - 1; i >= 0; --i) work_left_[at(i)] = work_left_[at(i + 1)] + delta_[at(i)];
}

void SizeCheck::check_blocks() {
  const std::vector<Index> ready = runs_.block_send_times();
  for (Index b = 0; b < s.P - 1; ++b)
    book_.note({29, "long messages, ready", "(ours) block b is ready at l (u_b + (b+1) log l)"}, here(),
               block_ready(s, b), ready[at(b)]);
}

void SizeCheck::check_overhead(Index g) {
  for (const Index o : {1, 3})
    for (const PhaseTwo phase_two : {PhaseTwo::waiting, PhaseTwo::input_driven}) {
      if (g <= 2 * o) continue;
      const Index base = runs_.completion(NodeSchedule::output_driven, phase_two, Logp{.g = real(g - 2 * o)});
      book_.note({28, "overhead o > 0, L = 0", "(ours) as without, for g - 2o in place of g, plus 2o (m - l)"},
                 here(g) + fmt::format(", o = {}", o), base + 2 * o * (s.m - s.l),
                 runs_.completion(NodeSchedule::output_driven, phase_two, Logp{.o = real(o), .g = real(g)}));
    }
}

void SizeCheck::check_times(Index g, Index L) {
  const Logp machine{.L = real(L), .g = real(g)};
  const Index simple = runs_.completion(NodeSchedule::simple, PhaseTwo::waiting, machine);
  book_.note({4, "Theorem 3.1", "simple schedule: (n/P) log n + (n/P - n/P^2 - 1) g + L"}, here(g, L),
             simple_time(s, g, L), simple);
  const Index waiting = runs_.completion(NodeSchedule::output_driven, PhaseTwo::waiting, machine);
  book_.note({10, "section 4.3, completion", "max{T + L, m log m} + m log P"}, here(g, L), waiting_time(s, T_, L),
             waiting);
  check_bad_order(g, L, machine, simple);
  check_input_driven(g, L, waiting);
  const Loggp blocks{.L = real(L), .G = real(g)};
  book_.note({30, "long messages, hidden", "(ours) all is hidden if and only if L + G l <= l (log l + 1)"}, here(g, L),
             blocks_hidden(s, g, L),
             runs_.completion(NodeSchedule::block_output_driven, PhaseTwo::waiting, blocks) == s.m * s.log_n);
}

// With two processors there is only one order. Stalling is where the paper's factor comes from: every word to a
// processor waits for the one before it.
void SizeCheck::check_bad_order(Index g, Index L, const Logp& machine, Index simple) {
  if (s.P == 2) return;
  const Index work = s.m * s.log_n;
  const auto communication = [&](Capacity capacity) {
    return real(runs_.completion(NodeSchedule::bad_order, PhaseTwo::waiting, machine, capacity) - work);
  };
  const double good = real(simple - work), bad = communication(Capacity::unlimited);
  book_.note({6, "section 3.2, bad order", "all to 0, then all to 1, ...: communication takes P > 2 times as long",
              "((2P-3) l - 1) g + L, under twice as long but for the smallest n"},
             here(g, L), s.P, real(bad_order_communication(s, g, L)) / good, bad / good);
  const double stalling = communication(Capacity::limited);
  book_.note({7, "bad order, stalling", "(ours) with limited capacity no faster, and at most P times as long"},
             here(g, L), 1, stalling >= bad && stalling <= real(s.P) * good);
}

void SizeCheck::check_input_driven(Index g, Index L, Index waiting) {
  const Runs::Arrivals run = runs_.input_driven(g, L);
  const Index bound = s.m * s.log_n + s.m + L;
  const double holds = real(run.completion <= bound);
  book_.note({1, "section 1.1, speedup", "at least P/(1 + 1/log n), latency aside, for any g",
              "g <= log m gives time <= m log n + m + L, even if phase II waits"},
             {here(g, L), 1, g <= s.log_m ? std::optional(holds) : std::nullopt, holds,
              fmt::format("time {}, at most {} claimed", run.completion, bound)});
  if (g <= s.log_m)
    book_.note({2, "speedup, waiting", "(ours) g <= log m: time <= m log n + m + L"}, here(g, L), 1, waiting <= bound);
  Index general = s.m * s.log_n;
  for (Index i = s.l; i < s.m; ++i) general = std::max(general, run.taken[at(i - s.l)] + work_left_[at(i)]);
  book_.note({27, "section 5, in general", "(ours) input-driven: max{m log n, max_i (A_i + R_i)} for any g and L"},
             here(g, L), general, run.completion);
  if (!small_case(s, g)) return;
  bool lemma = true;
  for (const Index i : run.bottlenecks) lemma = lemma && delta_[at(i - 1)] < g;
  book_.note({21, "Lemma 5.1", "an input that is waited for follows one with delta < g"}, here(g, L), 1, lemma);
  const Index printed = input_driven_printed(s, g, L);
  if (g > 2 * s.P - 2)
    book_.note({25, "Theorem 5.1, g > 2P - 2", "max{m log n, (m-1) + L + (m-1-l) g + 2P - 2}"}, here(g, L), printed,
               run.completion);
  else
    book_.note({26, "Theorem 5.1, g <= 2P - 2", "R = m log P - m (j* - 3 + 1/2^(j*-2))",
                "R = m log P - m (j* - 2 + 2^(1-j*))"},
               here(g, L), printed, input_driven_corrected(s, g, L), run.completion);
}

}  // namespace kallima::theory::sahay
