// All claims of Sahay 1993, tried on every size of a grid. Cases are noted under the claim they belong to, and counted.

#include <algorithm>
#include <array>
#include <span>

#include "base/check.hpp"
#include "kallima/theory.hpp"
#include "lab/theory/sahay_formulas.hpp"
#include "lab/theory/sahay_runs.hpp"

namespace kallima::theory::sahay {
namespace {

using ClaimBook = std::vector<CheckedClaim>;

// What is claimed, in the order of the paper; claims that are ours stand at the end of the section they belong to.
const ClaimBook sahay_claims{
    {"section 1.1, speedup", "at least P/(1 + 1/log n), latency aside, for any g",
     "g <= log m gives time <= m log n + m + L, even if phase II waits"},
    {"speedup, waiting", "(ours) g <= log m: time <= m log n + m + L"},
    {"section 3.1, messages", "n - m in all"},
    {"Theorem 3.1", "simple schedule: (n/P) log n + (n/P - n/P^2 - 1) g + L"},
    {"section 3.2, fixed allocation", "all cyclic or all blocked: log P times the messages",
     "log P * P/(P-1) times (n log P messages)"},
    {"section 3.2, bad order", "all to 0, then all to 1, ...: communication takes P > 2 times as long",
     "((2P-3) l - 1) g + L, under twice as long but for the smallest n"},
    {"bad order, stalling", "(ours) with limited capacity no faster, and at most P times as long"},
    {"Definition 4.1, Proposition 4.1", "binary permutations fall into binary ones, for every q + r"},
    {"section 4.3, symmetry", "whenever i sends to j, k sends to k xor i xor j"},
    {"section 4.3, completion", "max{T + L, m log m} + m log P"},
    {"Lemma 4.1", "t_0 = m - 1; t_a = t_(a - 2^(r-1)) + r 2^(r-1) for a = q 2^(r-1), q odd"},
    {"Lemma 4.1, its proof", "output a takes r/2 nodes in each of r columns", "2^(r-1) nodes in each of r columns"},
    {"Corollary 4.1", "t_a = (m - 1) + sum b_i (i+1) 2^i"},
    {"Lemma 4.2", "s_a = t_a if and only if 2^(g-1) divides a"},
    {"a*", "the last output sent at once: the highest index below m - l that evenly divides 2^(g-1)",
     "the largest multiple of 2^(g-1) below m - l"},
    {"Theorem 4.1 (1)", "g >= log m: T = (m-1) + (m-l-1) g"},
    {"Theorem 4.1 (2)", "log l + 1 < g < log m: T = m log m + 2^g - g - 1 - l g"},
    {"Theorem 4.1 (3)", "g <= log l + 1: T = m log m + (2^g - 1) - l (log l + 1)",
     "T = m log m + 2^g - g - 1 - l max(g, log l + 1) for g <= log m"},
    {"section 4.4, no idling", "n >= 2^g/(g P^2) gives T <= m log m",
     "T <= m log m if and only if l max(g, log l + 1) >= 2^g - g - 1 (g <= log m)"},
    {"section 4.4, as it must be read", "(ours) n >= (2^g/g) P^2 gives T <= m log m"},
    {"Lemma 5.1", "an input that is waited for follows one with delta < g"},
    {"Fact 5.1", "delta_(il+j) = delta_il for j < l"},
    {"Fact 5.2", "delta_il = 2 (2^j - 1), j the first zero of b_0 b_1 ..., the bits of i",
     "b_0 is the first of log P bits, leading zeros included; i the block, 0 the local one"},
    {"Fact 5.3", "delta_i >= delta_(i-1)"},
    {"Theorem 5.1, g > 2P - 2", "max{m log n, (m-1) + L + (m-1-l) g + 2P - 2}"},
    {"Theorem 5.1, g <= 2P - 2", "R = m log P - m (j* - 3 + 1/2^(j*-2))", "R = m log P - m (j* - 2 + 2^(1-j*))"},
    {"section 5, in general", "(ours) input-driven: max{m log n, max_i (A_i + R_i)} for any g and L"},
    {"overhead o > 0, L = 0", "(ours) as without, for g - 2o in place of g, plus 2o (m - l)"},
    {"long messages, ready", "(ours) block b is ready at l (u_b + (b+1) log l)"},
    {"long messages, hidden", "(ours) all is hidden if and only if L + G l <= l (log l + 1)"},
};

class SizeCheck {
 public:
  SizeCheck(Index n, Index P, ClaimBook& book) : s{n, P}, runs_(n, static_cast<int>(P)), book_(book) {}
  void check(const Grid& grid) {
    check_messages();
    check_permutations();
    check_outputs();
    check_enabled();
    note("section 4.3, symmetry", here(), 1, runs_.is_symmetric());
    const std::vector<Index> ready = runs_.send_times(NodeSchedule::block_output_driven, Loggp{});
    for (Index b = 0; b < s.P - 1; ++b) note("long messages, ready", here(), block_ready(s, b), ready[at(b)]);
    for (Index g = 1; g <= grid.max_g; ++g) {
      check_sends(g);
      check_overhead(g);
      for (const Index L : grid.latencies) check_times(g, L);
    }
  }

 private:
  static double real(Index value) { return static_cast<double>(value); }
  static std::optional<double> unless(bool none, Index value) {
    return none ? std::nullopt : std::optional(real(value));
  }
  std::string here(auto... more) const { return fmt::format("({})", fmt::join(std::vector{s.n, s.P, more...}, ", ")); }

  void note(std::string_view where, const CheckedClaim::Case& one) {
    CheckedClaim& it = *std::ranges::find(book_, where, &CheckedClaim::where);
    it.example = one;
    ++it.cases;
    it.printed_agrees += same(one.printed, one.simulated);
    if (!same(one.printed, one.simulated) && !it.counterexample) it.counterexample = one;
    if (!one.corrected) return;
    ++it.corrected_cases;
    it.corrected_agrees += same(*one.corrected, one.simulated);
    if (!same(*one.corrected, one.simulated) && !it.corrected_counterexample) it.corrected_counterexample = one;
  }

  // What is said, what must be said instead if anybody says so, and what is found: numbers, or 1 for true, 0 for false.
  void note(std::string_view where, const std::string& parameters, auto... values) {
    const std::array all{static_cast<double>(values)...};
    note(where, {parameters, all[0], all.size() == 3 ? std::optional(all[1]) : std::nullopt, all.back()});
  }

  // Sections 3 and 4: messages, orders, and when outputs are made and sent.

  void check_messages() {
    const double once = real(runs_.messages(NodeSchedule::output_driven)), log_P = real(s.log_P), P = real(s.P);
    note("section 3.1, messages", here(), s.n - s.m, once);
    for (const NodeSchedule fixed : {NodeSchedule::all_cyclic, NodeSchedule::all_blocked})
      note("section 3.2, fixed allocation", here(), log_P, log_P * P / (P - 1), real(runs_.messages(fixed)) / once);
  }

  void check_permutations() {
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
    note("Definition 4.1, Proposition 4.1", here(), 1, good);
  }

  // Every output a > 0 is q 2^(r-1), q odd. From output a - 2^(r-1) to it, the last r columns get 2^(r-1) nodes each.
  void check_outputs() {
    const std::vector<Index> t = runs_.output_times();
    const std::span made(runs_.made_nodes());
    bool lemma = t[0] == s.m - 1, corollary = t[0] == output_time(s, 0);
    for (Index a = 1; a < s.m; ++a) {
      const Index step = a & -a, r = log2_of(step) + 1;
      lemma = lemma && t[at(a)] == t[at(a - step)] + r * step;
      corollary = corollary && t[at(a)] == output_time(s, a);
      for (Index column = s.log_m - r + 1; column <= s.log_m; ++column)
        note("Lemma 4.1, its proof", fmt::format("m = {}, a = {}", s.m, a), real(r) / 2, step,
             std::ranges::count(made.subspan(at(t[at(a - step)]), at(t[at(a)] - t[at(a - step)])), column,
                                &Runs::MadeNode::column));
    }
    note("Lemma 4.1", here(), 1, lemma);
    note("Corollary 4.1", here(), 1, corollary);
  }

  void check_sends(Index g) {
    const std::vector<Index> t = runs_.output_times();
    const std::vector<Index> sent = runs_.send_times(NodeSchedule::output_driven, Logp{.g = real(g)});
    bool lemma = true;
    Index last = 0;
    for (Index a = 0; a < s.m - s.l; ++a) {
      const bool undelayed = sent[at(a)] == t[at(a)];
      lemma = lemma && undelayed == sends_without_delay(a, g);
      if (undelayed) last = a;
    }
    T_ = sent.back();
    note("Lemma 4.2", here(g), 1, lemma);
    check_idling(g);
    if (s.n == s.P * s.P) return;  // what follows is said of n > P^2
    note("a*", here(g), last_undelayed_printed(s, g), last_undelayed_corrected(s, g), last);
    const int part = g >= s.log_m ? 1 : g > s.log_l + 1 ? 2 : 3;  // of which only the last needs a correction
    note(fmt::format("Theorem 4.1 ({})", part),
         {here(g), real(last_send_printed(s, g)), unless(part < 3, last_send_corrected(s, g)), real(T_)});
  }

  void check_idling(Index g) {
    const bool none = T_ <= s.m * s.log_m;
    const auto exact = unless(g > s.log_m, no_idling_exact(s, g));
    if (no_idling_printed(s, g))
      note("section 4.4, no idling",
           {here(g), 1, exact, real(none), fmt::format("T = {}, m log m = {}", T_, s.m * s.log_m)});
    if (no_idling_sufficient(s, g)) note("section 4.4, as it must be read", here(g), 1, none);
  }

  // Section 5, whole running times, and what holds beyond the paper: overhead and long messages.

  void check_enabled() {
    delta_ = runs_.enabled();
    bool equal_in_block = true;
    for (Index i = 0; i < s.m; ++i) equal_in_block = equal_in_block && delta_[at(i)] == delta_[at(i / s.l * s.l)];
    note("Fact 5.1", here(), 1, equal_in_block);
    for (Index i = 0; i < s.P; ++i)
      note("Fact 5.2", here(), enabled_printed(i), enabled_corrected(s, i), delta_[at(i * s.l)]);
    note("Fact 5.3", here(), 1, std::ranges::is_sorted(delta_));
    work_left_.assign(at(s.m + 1), 0);
    for (Index i = s.m - 1; i >= 0; --i) work_left_[at(i)] = work_left_[at(i + 1)] + delta_[at(i)];
  }

  void check_overhead(Index g) {
    for (const Index o : {1, 3})
      for (const PhaseTwo phase_two : {PhaseTwo::waiting, PhaseTwo::input_driven}) {
        if (g <= 2 * o) continue;
        const Index base = runs_.completion(NodeSchedule::output_driven, phase_two, Logp{.g = real(g - 2 * o)});
        note("overhead o > 0, L = 0", here(g) + fmt::format(", o = {}", o), base + 2 * o * (s.m - s.l),
             runs_.completion(NodeSchedule::output_driven, phase_two, Logp{.o = real(o), .g = real(g)}));
      }
  }

  void check_times(Index g, Index L) {
    const Logp machine{.L = real(L), .g = real(g)};
    const Index simple = runs_.completion(NodeSchedule::simple, PhaseTwo::waiting, machine);
    note("Theorem 3.1", here(g, L), simple_time(s, g, L), simple);
    const Index waiting = runs_.completion(NodeSchedule::output_driven, PhaseTwo::waiting, machine);
    note("section 4.3, completion", here(g, L), waiting_time(s, T_, L), waiting);
    check_bad_order(g, L, machine, simple);
    check_input_driven(g, L, waiting);
    const Loggp blocks{.L = real(L), .G = real(g)};
    note("long messages, hidden", here(g, L), blocks_hidden(s, g, L),
         runs_.completion(NodeSchedule::block_output_driven, PhaseTwo::waiting, blocks) == s.m * s.log_n);
  }

  // With two processors there is only one order. Stalling is where the paper's factor comes from: every word to a
  // processor waits for the one before it.
  void check_bad_order(Index g, Index L, const Logp& machine, Index simple) {
    if (s.P == 2) return;
    const Index work = s.m * s.log_n;
    const auto communication = [&](Capacity capacity) {
      return real(runs_.completion(NodeSchedule::bad_order, PhaseTwo::waiting, machine, capacity) - work);
    };
    const double good = real(simple - work), bad = communication(Capacity::unlimited);
    note("section 3.2, bad order", here(g, L), s.P, real(bad_order_communication(s, g, L)) / good, bad / good);
    const double stalling = communication(Capacity::limited);
    note("bad order, stalling", here(g, L), 1, stalling >= bad && stalling <= real(s.P) * good);
  }

  void check_input_driven(Index g, Index L, Index waiting) {
    const Runs::Arrivals run = runs_.input_driven({.L = real(L), .g = real(g)});
    const Index bound = s.m * s.log_n + s.m + L;
    const double holds = real(run.completion <= bound);
    note("section 1.1, speedup", {here(g, L), 1, unless(g > s.log_m, run.completion <= bound), holds,
                                  fmt::format("time {}, at most {} claimed", run.completion, bound)});
    if (g <= s.log_m) note("speedup, waiting", here(g, L), 1, waiting <= bound);
    Index general = s.m * s.log_n;
    for (Index i = s.l; i < s.m; ++i) general = std::max(general, run.taken[at(i - s.l)] + work_left_[at(i)]);
    note("section 5, in general", here(g, L), general, run.completion);
    if (!small_case(s, g)) return;
    note("Lemma 5.1", here(g, L), 1,
         std::ranges::all_of(run.bottlenecks, [&](Index i) { return delta_[at(i - 1)] < g; }));
    const bool scarce = g > 2 * s.P - 2;
    note(scarce ? "Theorem 5.1, g > 2P - 2" : "Theorem 5.1, g <= 2P - 2",
         {here(g, L), real(input_driven_printed(s, g, L)), unless(scarce, input_driven_corrected(s, g, L)),
          real(run.completion)});
  }

  const PhaseSizes s;
  Runs runs_;
  ClaimBook& book_;
  Index T_ = 0;
  std::vector<Index> delta_;
  std::vector<Index> work_left_;  // R_i
};

}  // namespace

std::vector<CheckedClaim> check_claims(const Grid& grid, const std::function<void(const std::string&)>& progress) {
  require(grid.max_n >= 4 && grid.max_P >= 2 && grid.max_g >= 1 && !grid.latencies.empty(),
          "the grid n <= {}, P <= {}, g <= {} with {} latencies is empty: use n >= 4, P >= 2, g >= 1", grid.max_n,
          grid.max_P, grid.max_g, grid.latencies.size());
  for (const Index L : grid.latencies)
    require(L >= 0 && L <= 1'000'000'000, "a latency of {} makes no sense: use 0 to 10^9", L);
  ClaimBook book = sahay_claims;
  for (Index n = 4; n <= grid.max_n; n *= 2)
    for (Index P = 2; P <= grid.max_P && P * P <= n; P *= 2) {
      if (progress) progress(fmt::format("n = {}, P = {}", n, P));
      SizeCheck(n, P, book).check(grid);
    }
  std::erase_if(book, [](const CheckedClaim& claim) { return claim.cases == 0; });
  return book;
}

}  // namespace kallima::theory::sahay
