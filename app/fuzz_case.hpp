#pragma once
// A random transform. Case number K of seed S is the same everywhere, whatever else is run: what it is depends on
// (S, K) and the limits only.

#include <string>

#include "kallima/fft.hpp"

namespace kallima::cli {

// Where nobody sets limits, a few arrays are larger than these.
struct FuzzLimits {
  int max_ranks = 12;
  Index max_extent = 70;
  Index max_elements = 20000;
  bool operator==(const FuzzLimits&) const = default;
};

enum class Call { plain, pending, many };  // forward(), start_forward() and wait(), forward_many() of two arrays

struct FuzzCase {
  std::uint64_t seed = 0;
  Index number = 0;
  FuzzLimits limits = {};
  Problem problem = {};  // precision included
  int ranks = 1;
  FftOptions options = {};
  bool in_place = false;  // is asked for in the call, whatever was planned
  Norm forward = Norm::none;
  Norm backward = Norm::full;
  Call call = Call::plain;
  bool validates = false;   // its schedules are to be proven, too
  std::string device = {};  // on which it runs, where it is none of the processor's
};

FuzzCase fuzz_case(std::uint64_t seed, Index number, const FuzzLimits& limits);

std::string problem_text(const FuzzCase& it);  // the problem in words
std::string command(const FuzzCase& it);       // what runs it again
std::string kind_group(const FuzzCase& it);    // c2c, r2c, real cosines, ... for counting

}  // namespace kallima::cli
