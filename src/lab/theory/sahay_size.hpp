#pragma once
// All claims, tried on one size n on P processors.

#include "base/check.hpp"
#include "lab/theory/sahay_formulas.hpp"
#include "lab/theory/sahay_ledger.hpp"
#include "lab/theory/sahay_runs.hpp"

namespace kallima::theory::sahay {

class Size {
 public:
  Size(Index n, Index P, Ledger& ledger) : s(n, P), runs_(n, static_cast<int>(P)), ledger_(ledger) {}
  void check(const Grid& grid);

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  std::string here() const { return fmt::format("({}, {})", s.n, s.P); }
  std::string here(Index g) const { return fmt::format("({}, {}, {})", s.n, s.P, g); }
  std::string here(Index g, Index L) const { return fmt::format("({}, {}, {}, {})", s.n, s.P, g, L); }

  // Sections 3 and 4: sahay_phase_one.cpp
  void check_messages();
  void check_permutations();
  void check_outputs();
  void check_increments();
  void check_sends(Index g);
  void check_last_send(Index g);
  void check_idling(Index g);

  // Section 5 and what the paper leaves out: sahay_phase_two.cpp
  void check_enabled();
  void check_blocks();
  void check_overhead(Index g);
  void check_times(Index g, Index L);
  void check_bad_order(Index g, Index L, const Logp& machine, Index simple);
  void check_input_driven(Index g, Index L, Index waiting);

  const Sizes s;
  Runs runs_;
  Ledger& ledger_;
  Index T_ = 0;
  std::vector<Index> delta_;
  std::vector<Index> work_left_;  // R_i
};

}  // namespace kallima::theory::sahay
