// Section 5 of the paper, whole running times, and what holds beyond it: overhead and long messages.

#include <algorithm>
#include <bit>

#include "lab/theory/sahay_size.hpp"

namespace kallima::theory::sahay {

void Size::check_enabled() {
  delta_ = runs_.enabled();
  bool equal_in_block = true;
  bool rising = true;
  for (Index i = 0; i < s.m; ++i) {
    equal_in_block = equal_in_block && delta_[at(i)] == delta_[at(i / s.l * s.l)];
    rising = rising && (i == 0 || delta_[at(i)] >= delta_[at(i - 1)]);
  }
  ledger_.note({"Fact 5.1", "delta_(il+j) = delta_il for j < l"}, here(), 1, equal_in_block);
  for (Index i = 0; i < s.P; ++i)
    ledger_.note({"Fact 5.2", "delta_il = 2 (2^j - 1), j the first zero of b_0 b_1 ..., the bits of i",
                  "b_0 is the first of log P bits, leading zeros included; i the block, 0 the local one"},
                 here(), static_cast<double>(enabled_printed(i)), static_cast<double>(enabled_corrected(s, i)),
                 static_cast<double>(delta_[at(i * s.l)]));
  ledger_.note({"Fact 5.3", "delta_i >= delta_(i-1)"}, here(), 1, rising);
  work_left_.assign(at(s.m + 1), 0);
  for (Index i = s.m - 1; i >= 0; --i) work_left_[at(i)] = work_left_[at(i + 1)] + delta_[at(i)];
}

void Size::check_blocks() {
  const std::vector<Index> ready = runs_.block_send_times();
  for (Index b = 0; b < s.P - 1; ++b)
    ledger_.note({"long messages, ready", "(ours) block b is ready at l (u_b + (b+1) log l)"}, here(),
                 static_cast<double>(block_ready(s, b)), static_cast<double>(ready[at(b)]));
}

void Size::check_overhead(Index g) {
  for (const Index o : {1, 3}) {
    if (g <= 2 * o) continue;
    for (const PhaseTwo phase_two : {PhaseTwo::waiting, PhaseTwo::input_driven}) {
      const Logp with{.o = static_cast<double>(o), .g = static_cast<double>(g)};
      const Logp without{.g = static_cast<double>(g - 2 * o)};
      const Index base = runs_.completion(NodeSchedule::output_driven, phase_two, without);
      ledger_.note({"overhead o > 0, L = 0", "(ours) as without, for g - 2o in place of g, plus 2o (m - l)"},
                   here(g) + fmt::format(", o = {}", o), static_cast<double>(base + 2 * o * (s.m - s.l)),
                   static_cast<double>(runs_.completion(NodeSchedule::output_driven, phase_two, with)));
    }
  }
}

void Size::check_times(Index g, Index L) {
  const Logp machine{.L = static_cast<double>(L), .g = static_cast<double>(g)};
  const Index simple = runs_.completion(NodeSchedule::simple, PhaseTwo::waiting, machine);
  ledger_.note({"Theorem 3.1", "simple schedule: (n/P) log n + (n/P - n/P^2 - 1) g + L"}, here(g, L),
               static_cast<double>(simple_time(s, g, L)), static_cast<double>(simple));
  const Index waiting = runs_.completion(NodeSchedule::output_driven, PhaseTwo::waiting, machine);
  ledger_.note({"section 4.3, completion", "max{T + L, m log m} + m log P"}, here(g, L),
               static_cast<double>(waiting_time(s, T_, L)), static_cast<double>(waiting));
  check_bad_order(g, L, machine, simple);
  check_input_driven(g, L, waiting);
  const Loggp blocks{.L = static_cast<double>(L), .G = static_cast<double>(g)};
  ledger_.note({"long messages, hidden", "(ours) all is hidden if and only if L + G l <= l (log l + 1)"}, here(g, L),
               blocks_hidden(s, g, L),
               runs_.completion(NodeSchedule::block_output_driven, PhaseTwo::waiting, blocks) == s.m * s.log_n);
}

// With two processors there is only one order. Stalling is where the paper's factor comes from: every word to a
// processor waits for the one before it.
void Size::check_bad_order(Index g, Index L, const Logp& machine, Index simple) {
  if (s.P == 2) return;
  const Index work = s.m * s.log_n;
  const Index bad = runs_.completion(NodeSchedule::bad_order, PhaseTwo::waiting, machine) - work;
  const double good = static_cast<double>(simple - work);
  ledger_.note({"section 3.2, bad order", "all to 0, then all to 1, ...: communication takes P > 2 times as long",
                "((2P-3) l - 1) g + L, under twice as long but for the smallest n"},
               here(g, L), static_cast<double>(s.P), static_cast<double>(bad_order_communication(s, g, L)) / good,
               static_cast<double>(bad) / good);
  const Index stalling =
      runs_.completion(NodeSchedule::bad_order, PhaseTwo::waiting, machine, Capacity::limited) - work;
  ledger_.note({"bad order, stalling", "(ours) with limited capacity no faster, and at most P times as long"},
               here(g, L), 1, stalling >= bad && static_cast<double>(stalling) <= static_cast<double>(s.P) * good);
}

void Size::check_input_driven(Index g, Index L, Index waiting) {
  const Runs::Arrivals run = runs_.input_driven(g, L);
  const double simulated = static_cast<double>(run.completion);
  const Index bound = s.m * s.log_n + s.m + L;
  ledger_.note({"section 1.1, speedup", "at least P/(1 + 1/log n), latency aside, for any g",
                "g <= log m gives time <= m log n + m + L, even if phase II waits"},
               here(g, L), 1, g <= s.log_m ? std::optional<double>(run.completion <= bound) : std::nullopt,
               run.completion <= bound, fmt::format("time {}, at most {} claimed", run.completion, bound));
  if (g <= s.log_m)
    ledger_.note({"speedup, waiting", "(ours) g <= log m: time <= m log n + m + L"}, here(g, L), 1, waiting <= bound);
  Index general = s.m * s.log_n;
  for (Index i = s.l; i < s.m; ++i) general = std::max(general, run.taken[at(i - s.l)] + work_left_[at(i)]);
  ledger_.note({"section 5, in general", "(ours) input-driven: max{m log n, max_i (A_i + R_i)} for any g and L"},
               here(g, L), static_cast<double>(general), simulated);
  if (!small_case(s, g)) return;
  bool lemma = true;
  for (const Index i : run.bottlenecks) lemma = lemma && delta_[at(i - 1)] < g;
  ledger_.note({"Lemma 5.1", "an input that is waited for follows one with delta < g"}, here(g, L), 1, lemma);
  const double printed = static_cast<double>(input_driven_printed(s, g, L));
  if (g > 2 * s.P - 2)
    ledger_.note({"Theorem 5.1, g > 2P - 2", "max{m log n, (m-1) + L + (m-1-l) g + 2P - 2}"}, here(g, L), printed,
                 simulated);
  else
    ledger_.note(
        {"Theorem 5.1, g <= 2P - 2", "R = m log P - m (j* - 3 + 1/2^(j*-2))", "R = m log P - m (j* - 2 + 2^(1-j*))"},
        here(g, L), printed, static_cast<double>(input_driven_corrected(s, g, L)), simulated);
}

}  // namespace kallima::theory::sahay
