#pragma once
// A fuzz target is one file, NAME_fuzz.cpp: what must hold of any input, some inputs to begin with, and the words that
// get a mutation further than random bytes would. libFuzzer drives it where that is at hand, main.cpp anywhere else;
// both mutate with mutate.cpp.

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "kallima/types.hpp"

namespace kallima::fuzz {

using Random = std::mt19937_64;

// Defined by each target.
void check(const std::string& input);  // returns, whatever the input, or ends the process
std::vector<std::string> seeds();
std::vector<std::string> words();

std::string mutated(std::string text, Random& random);

inline void must(bool holds, const char* claim) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", claim);
  std::abort();
}

// Whether the action is done; an Error is how bad input is to be refused, and anything else ends the process.
template <class Action>
bool accepted(const Action& action) {
  try {
    action();
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace kallima::fuzz
