#pragma once
// All claims, tried on one size n on P processors. Cases are noted under the claim they belong to, and counted.

#include <optional>

#include "base/check.hpp"
#include "kallima/theory.hpp"
#include "lab/theory/sahay_formulas.hpp"
#include "lab/theory/sahay_runs.hpp"

namespace kallima::theory::sahay {

class ClaimBook {
 public:
  struct Entry {
    int place;  // in the paper; claims that are ours stand at the end of the section they belong to
    const char* where;
    const char* printed;
    const char* corrected = "";
  };

  void note(const Entry& entry, const CheckedClaim::Case& one);
  // What is said of numbers, and of true (1) and false (0); the first form has no correction.
  template <class Said, class Found>
  void note(const Entry& entry, const std::string& parameters, Said said, Found simulated) {
    note(entry, {parameters, static_cast<double>(said), std::nullopt, static_cast<double>(simulated)});
  }
  template <class Said, class Corrected, class Found>
  void note(const Entry& entry, const std::string& parameters, Said said, Corrected corrected, Found simulated) {
    note(entry,
         {parameters, static_cast<double>(said), static_cast<double>(corrected), static_cast<double>(simulated)});
  }
  std::vector<CheckedClaim> take();  // in the order of their places

 private:
  std::vector<std::pair<int, CheckedClaim>> claims_;
};

class SizeCheck {
 public:
  SizeCheck(Index n, Index P, ClaimBook& book) : s(n, P), runs_(n, static_cast<int>(P)), book_(book) {}
  void check(const Grid& grid);

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  static double real(Index value) { return static_cast<double>(value); }
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

  const PhaseSizes s;
  Runs runs_;
  ClaimBook& book_;
  Index T_ = 0;
  std::vector<Index> delta_;
  std::vector<Index> work_left_;  // R_i
};

}  // namespace kallima::theory::sahay
