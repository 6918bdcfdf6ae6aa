#pragma once
// What papers print, what they should have printed, and what the simulation of our schedules says, side by side.
// Whether they agree is computed, never written down. Bisseling on the BSP FFT (Parallel Scientific Computation,
// section 3.4), Solomonik on collectives (Design of Parallel and High-Performance Computing, 2015), Sahay on hiding
// communication (1993); <kallima/exascale.hpp> has Czechowski et al. 2012.

#include <cmath>
#include <functional>
#include <optional>

#include "kallima/machine.hpp"
#include "kallima/types.hpp"

namespace kallima::theory {

struct Comparison {
  std::string subject;     // "broadcast, binomial tree"
  std::string parameters;  // "alphabeta, P=8, s=64"
  std::optional<double> printed = {}, corrected = {}, simulated = {};
  bool exact = true;  // whether the corrected form claims equality; otherwise it is an estimate or a bound
  std::string note = {};
};

inline bool same(double a, double b) { return std::abs(a - b) <= 1e-9 * (std::abs(a) + std::abs(b)); }

std::string number_text(double value);  // 0.5209, 164,320: four digits, or five of a large whole number

// Of the BSP FFT: powers of two with 1 < p < n.
struct TransformSize {
  Index n = 0;
  int p = 0;
};
std::vector<TransformSize> usual_sizes();

// Words and computation supersteps, printed, corrected and counted; then the example of the bit reversal.
std::vector<Comparison> bsp_table(const std::vector<TransformSize>& sizes = usual_sizes());

// Total times, printed, corrected and simulated, in the machine's unit.
std::vector<Comparison> bsp_times(const Bsp& machine, const std::vector<TransformSize>& sizes = usual_sizes());

// Every collective that can be had on so many ranks, and the single numbers of the slides.
std::vector<Comparison> collectives_table(const std::vector<Machine>& machines, const std::vector<int>& ranks,
                                          const std::vector<Index>& words);
std::vector<Comparison> collectives_table();  // over a grid of ours

}  // namespace kallima::theory

namespace kallima::theory::sahay {

struct Grid {
  Index max_n = 4096;
  Index max_P = 16;
  Index max_g = 20;
  std::vector<Index> latencies = {0, 5, 50};
};

struct CheckedClaim {
  std::string where;           // "Theorem 4.1 (3)"
  std::string printed;         // what it says
  std::string corrected = {};  // what holds instead; empty: nobody proposes anything else
  Index cases = 0, printed_agrees = 0;
  Index corrected_cases = 0, corrected_agrees = 0;

  struct Case {
    std::string parameters;
    double printed = 0;
    std::optional<double> corrected = std::nullopt;
    double simulated = 0;
    std::string evidence = {};  // in words, where the claim is true or false and the numbers are 1 and 0
  };
  std::optional<Case> counterexample = std::nullopt;            // the smallest, of what is printed
  std::optional<Case> corrected_counterexample = std::nullopt;  // and of what is to hold instead
  std::optional<Case> example = std::nullopt;                   // the last case

  bool printed_holds() const { return printed_agrees == cases; }
  bool corrected_holds() const { return corrected_agrees == corrected_cases; }
};

// Every claim of the paper, over a grid of sizes and machines. A claim fails where the simulation says so.
std::vector<CheckedClaim> check_claims(const Grid& grid, const std::function<void(const std::string&)>& progress = {});

}  // namespace kallima::theory::sahay
