#pragma once
// Every claim of Sahay 1993 held against the simulation, over a grid of sizes and machines. A claim fails where the
// simulation says so; which ones do is written down nowhere.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kallima/types.hpp"

namespace kallima::theory::sahay {

struct Grid {
  Index max_n = 4096;
  Index max_P = 16;
  Index max_g = 20;
  std::vector<Index> latencies = {0, 5, 50};
};

struct Claim {
  std::string where;      // "Theorem 4.1 (3)"
  std::string printed;    // what it says
  std::string corrected;  // what holds instead; empty: nobody proposes anything else
  Index cases = 0;
  Index printed_agrees = 0;
  Index corrected_cases = 0;
  Index corrected_agrees = 0;

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

std::vector<Claim> check_claims(const Grid& grid, const std::function<void(const std::string&)>& progress = {});

}  // namespace kallima::theory::sahay
