#pragma once
// A line of `kallima theory`: what a paper prints, what it should have printed, and what the simulation says. Whether
// they agree is computed, never written down.

#include <cmath>
#include <optional>
#include <string>

namespace kallima::theory {

struct Comparison {
  std::string subject;     // "broadcast, binomial tree"
  std::string parameters;  // "alphabeta, P=8, s=64"
  std::optional<double> printed = std::nullopt;
  std::optional<double> corrected = std::nullopt;
  std::optional<double> simulated = std::nullopt;
  bool exact = true;  // whether the corrected form claims equality; otherwise it is an estimate or a bound
  std::string note = {};
};

inline bool same(double a, double b) { return std::abs(a - b) <= 1e-9 * (std::abs(a) + std::abs(b)); }

}  // namespace kallima::theory
