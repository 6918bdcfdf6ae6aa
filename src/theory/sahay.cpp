#include "theory/sahay.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "theory/comparison.hpp"
#include "theory/sahay_formulas.hpp"
#include "theory/sahay_runs.hpp"

namespace kallima::theory::sahay {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

constexpr const char* order[] = {"section 1.1, speedup",
                                 "speedup, waiting",
                                 "section 3.1, messages",
                                 "Theorem 3.1",
                                 "section 3.2, fixed allocation",
                                 "section 3.2, bad order",
                                 "Definition 4.1, Proposition 4.1",
                                 "section 4.3, symmetry",
                                 "section 4.3, completion",
                                 "Lemma 4.1",
                                 "Lemma 4.1, its proof",
                                 "Corollary 4.1",
                                 "Lemma 4.2",
                                 "a*",
                                 "Theorem 4.1 (1)",
                                 "Theorem 4.1 (2)",
                                 "Theorem 4.1 (3)",
                                 "section 4.4, no idling",
                                 "section 4.4, as it must be read",
                                 "Lemma 5.1",
                                 "Fact 5.1",
                                 "Fact 5.2",
                                 "Fact 5.3",
                                 "Theorem 5.1, g > 2P - 2",
                                 "Theorem 5.1, g <= 2P - 2",
                                 "section 5, in general",
                                 "overhead o > 0, L = 0",
                                 "long messages, ready",
                                 "long messages, hidden"};

class Ledger {
 public:
  struct Words {
    const char* where;
    const char* printed;
    const char* corrected = "";
  };

  void note(const Words& words, const std::string& parameters, double printed, std::optional<double> corrected,
            double simulated) {
    Claim& it = find(words);
    const Claim::Case one{parameters, printed, corrected, simulated};
    it.example = one;
    ++it.cases;
    it.printed_agrees += same(printed, simulated);
    if (!same(printed, simulated) && !it.counterexample) it.counterexample = one;
    if (!corrected) return;
    ++it.corrected_cases;
    it.corrected_agrees += same(*corrected, simulated);
    if (!same(*corrected, simulated) && !it.corrected_counterexample) it.corrected_counterexample = one;
  }

  // For claims that are ours: nothing is printed, so what is said must hold.
  void note(const Words& words, const std::string& parameters, double said, double simulated) {
    note(words, parameters, said, std::nullopt, simulated);
  }

  // As they stand in the paper; ours at the end of the section they belong to.
  std::vector<Claim> take() {
    const auto place = [](const Claim& claim) {
      return std::find(std::begin(order), std::end(order), claim.where) - std::begin(order);
    };
    std::stable_sort(claims_.begin(), claims_.end(),
                     [&](const Claim& a, const Claim& b) { return place(a) < place(b); });
    return std::move(claims_);
  }

 private:
  Claim& find(const Words& words) {
    for (Claim& claim : claims_)
      if (claim.where == words.where) return claim;
    claims_.push_back({.where = words.where, .printed = words.printed, .corrected = words.corrected});
    return claims_.back();
  }

  std::vector<Claim> claims_;
};

// One size n on P processors.
class Size {
 public:
  Size(Index n, Index P, Ledger& ledger) : s(n, P), runs_(n, static_cast<int>(P)), ledger_(ledger) {}

  void check(const Grid& grid) {
    check_messages();
    check_permutations();
    check_outputs();
    check_increments();
    check_enabled();
    check_blocks();
    ledger_.note({"section 4.3, symmetry", "whenever i sends to j, k sends to k xor i xor j"}, here(), 1,
                 runs_.is_symmetric());
    for (Index g = 1; g <= grid.max_g; ++g) {
      check_sends(g);
      check_overhead(g);
      for (const Index L : grid.latencies) check_times(g, L);
    }
  }

 private:
  std::string here() const { return fmt::format("({}, {})", s.n, s.P); }
  std::string here(Index g) const { return fmt::format("({}, {}, {})", s.n, s.P, g); }
  std::string here(Index g, Index L) const { return fmt::format("({}, {}, {}, {})", s.n, s.P, g, L); }

  void check_messages() {
    const double once = static_cast<double>(runs_.messages(NodeSchedule::output_driven));
    const double log_P = static_cast<double>(s.log_P);
    const double P = static_cast<double>(s.P);
    ledger_.note({"section 3.1, messages", "n - m in all"}, here(), static_cast<double>(s.n - s.m), once);
    for (const NodeSchedule fixed : {NodeSchedule::all_cyclic, NodeSchedule::all_blocked})
      ledger_.note({"section 3.2, fixed allocation", "all cyclic or all blocked: log P times the messages",
                    "log P * P/(P-1) times (n log P messages)"},
                   here(), log_P, log_P * P / (P - 1), static_cast<double>(runs_.messages(fixed)) / once);
  }

  void check_permutations() {
    bool good = BinaryPermutation::is_binary(std::vector<int>{4, 5, 6, 7, 3, 2, 0, 1}) &&
                !BinaryPermutation::is_binary(std::vector<int>{4, 5, 6, 7, 3, 0, 2, 1});
    for (int rank = 0; rank < s.P; ++rank) {
      const BinaryPermutation pi = BinaryPermutation::pi(static_cast<int>(s.P), static_cast<int>(s.m), rank);
      for (int q = 0; q <= s.log_m; ++q) {
        const BinaryPermutation::Parts parts = pi.decompose(q);
        good = good && BinaryPermutation::compose(parts.outer, parts.inner) == pi;
      }
      good = good &&
             pi.decompose(static_cast<int>(s.log_P)).outer == BinaryPermutation::sigma(static_cast<int>(s.P), rank);
    }
    ledger_.note({"Definition 4.1, Proposition 4.1", "binary permutations fall into binary ones, for every q + r"},
                 here(), 1, good);
  }

  void check_outputs() {
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
  void check_increments() {
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

  void check_enabled() {
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

  void check_blocks() {
    const std::vector<Index> ready = runs_.block_send_times();
    for (Index b = 0; b < s.P - 1; ++b)
      ledger_.note({"long messages, ready", "(ours) block b is ready at l (u_b + (b+1) log l)"}, here(),
                   static_cast<double>(block_ready(s, b)), static_cast<double>(ready[at(b)]));
  }

  void check_sends(Index g) {
    const std::vector<Index>& t = runs_.output_times();
    const std::vector<Index> sent = runs_.send_times(g);
    bool lemma = true;
    Index last = 0;
    for (Index a = 0; a < s.m - s.l; ++a) {
      const bool undelayed = sent[at(a)] == t[at(a)];
      lemma = lemma && undelayed == static_cast<bool>(sends_without_delay(a, g));
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

  void check_last_send(Index g) {
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
        return ledger_.note({"Theorem 4.1 (3)", "g <= log l + 1: T = m log m + (2^g - 1) - l (log l + 1)", one},
                            here(g), printed, corrected, simulated);
    }
  }

  void check_idling(Index g) {
    const bool none = T_ <= s.m * s.log_m;
    if (no_idling_printed(s, g))
      ledger_.note({"section 4.4, no idling", "n >= 2^g/(g P^2) gives T <= m log m",
                    "T <= m log m if and only if l max(g, log l + 1) >= 2^g - g - 1 (g <= log m)"},
                   here(g), 1, g <= s.log_m ? std::optional<double>(no_idling_exact(s, g)) : std::nullopt, none);
    if (no_idling_sufficient(s, g))
      ledger_.note({"section 4.4, as it must be read", "(ours) n >= (2^g/g) P^2 gives T <= m log m"}, here(g), 1, none);
  }

  void check_overhead(Index g) {
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

  void check_times(Index g, Index L) {
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

  // With two processors there is only one order.
  void check_bad_order(Index g, Index L, const Logp& machine, Index simple) {
    if (s.P == 2) return;
    const Index bad = runs_.completion(NodeSchedule::bad_order, PhaseTwo::waiting, machine) - s.m * s.log_n;
    const double good = static_cast<double>(simple - s.m * s.log_n);
    ledger_.note({"section 3.2, bad order", "all to 0, then all to 1, ...: communication takes P times as long",
                  "((2P-3) l - 1) g + L, under twice as long but for the smallest n"},
                 here(g, L), static_cast<double>(s.P), static_cast<double>(bad_order_communication(s, g, L)) / good,
                 static_cast<double>(bad) / good);
  }

  void check_input_driven(Index g, Index L, Index waiting) {
    const Runs::Arrivals run = runs_.input_driven(g, L);
    const double simulated = static_cast<double>(run.completion);
    const Index bound = s.m * s.log_n + s.m + L;
    ledger_.note({"section 1.1, speedup", "at least P/(1 + 1/log n), latency aside, for any g",
                  "g <= log m gives time <= m log n + m + L, even if phase II waits"},
                 here(g, L), 1, g <= s.log_m ? std::optional<double>(run.completion <= bound) : std::nullopt,
                 run.completion <= bound);
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

  const Sizes s;
  Runs runs_;
  Ledger& ledger_;
  Index T_ = 0;
  std::vector<Index> delta_;
  std::vector<Index> work_left_;  // R_i
};

}  // namespace

std::vector<Claim> check_claims(const Grid& grid, const std::function<void(const std::string&)>& progress) {
  require(grid.max_n >= 4 && grid.max_P >= 2 && grid.max_g >= 1 && !grid.latencies.empty(),
          "the grid n <= {}, P <= {}, g <= {} with {} latencies is empty: use n >= 4, P >= 2, g >= 1", grid.max_n,
          grid.max_P, grid.max_g, grid.latencies.size());
  Ledger ledger;
  for (Index n = 4; n <= grid.max_n; n *= 2)
    for (Index P = 2; P <= grid.max_P && P * P <= n; P *= 2) {
      if (progress) progress(fmt::format("n = {}, P = {}", n, P));
      Size(n, P, ledger).check(grid);
    }
  return ledger.take();
}

}  // namespace kallima::theory::sahay
