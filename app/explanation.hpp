#pragma once
// Why a problem is transformed the way it is: what every route makes of it, which is chosen, and what other layouts
// at its ends would save. Planning only: nothing is executed, and one rank's schedule stands for all.

#include <optional>
#include <string>
#include <vector>

#include "kallima/plan.hpp"

namespace kallima::cli {

struct RouteAccount {
  std::string route;
  std::string reason;  // why it does not apply; empty: it does
  int exchanges = 0;
  Index words_sent = 0;  // by rank 0, in the forward transform, two reals being a word
  Index messages = 0;
  Index workspace_words = 0;
  int active_ranks = 0;
  double cost = 0;  // 0: the choice was not made by cost
  std::string steps = {};
};

// The same transform with more freedom at its ends.
struct Saving {
  std::string freedom;  // what would have to be allowed
  int exchanges = 0;
  Index words_sent = 0;
};

struct Explanation {
  Problem problem;
  int ranks = 1;
  std::vector<RouteAccount> routes = {};
  std::size_t chosen = 0;
  Layout in;
  Layout out;
  std::vector<Saving> savings = {};
  std::string why = {};  // so many exchanges; empty where there is nothing to say
};

Explanation explain(const Problem& problem, int ranks, const PlanOptions& options);

}  // namespace kallima::cli
