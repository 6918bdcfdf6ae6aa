#pragma once
// Why a problem is transformed the way it is: what every route makes of it, which is chosen, and what other layouts
// at its ends would save. Planning only: nothing is executed, and one rank's schedule stands for all.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "kallima/execute.hpp"
#include "kallima/plan.hpp"
#include "kallima/profile.hpp"

namespace kallima::cli {

struct RouteAccount {
  std::string route;
  std::string reason;  // why it does not apply; empty: it does
  int exchanges = 0;
  Index words_sent = 0;  // by rank 0, in the forward transform, two reals being a word
  Index messages = 0;
  int active_ranks = 0;
  int busy = 0;                           // that always have something to do
  double predicted_s = 0;                 // 0: too many messages in several exchanges to simulate
  double memory = 0;                      // of one that plan() did not take: in units of a rank's data, where that is
  double memory_limit = 0;                // more than this
  std::optional<double> measured_s = {};  // where a run of it is remembered
  std::string verdict = {};               // why it was chosen, or not
  std::string steps = {};
};

// The same transform with more freedom at its ends.
struct Saving {
  std::string freedom;  // what would have to be allowed
  int exchanges = 0;
  Index words_sent = 0;
};

// What rank 0 needs, of the forward and the backward transform the more, two reals being a word.
struct Memory {
  Index in = 0;
  Index out = 0;
  Index workspace = 0;
  std::optional<ProgramSize> program = {};      // of the forward transform, unless that is too much to list
  std::optional<KernelSize> kernels = {};       // of the same, unless their tables are too large to be made for this
  double multiple(Placement placement) const {  // of the larger of the two arrays
    const Index larger = std::max(in, out), arrays = placement == Placement::in_place ? larger : in + out;
    return larger == 0 ? 0 : static_cast<double>(arrays + workspace) / static_cast<double>(larger);
  }
};

struct Explanation {
  Problem problem;
  int ranks = 1;
  std::vector<RouteAccount> routes = {};
  std::size_t chosen = 0;
  Memory memory = {};  // of that route
  Placement placement = Placement::out_of_place;
  Layout in;
  Layout out;
  std::vector<Saving> savings = {};
  std::string why = {};  // so many exchanges; empty where there is nothing to say
};

Explanation explain(const Problem& problem, int ranks, const PlanOptions& options);

}  // namespace kallima::cli
