#pragma once
// Ways to make a plan, one row each in one table. The library's own come first; a program may add more, which are then
// planned, priced, chosen, explained and run like these. Most routes are a list of stages: layouts, one after another,
// the axes that are transformed in each, and between two of them an exchange, which the library writes.

#include <functional>

#include "kallima/plan.hpp"

namespace kallima {

struct Route {
  std::string name;     // for PlanOptions::route
  std::string summary;  // a line of explanation
  // A plan, or the reason why this route does not apply, which is a normal answer. The problem is checked. As pure as
  // plan() itself: equal arguments must give equal answers on every rank.
  std::function<Candidate(const Problem& problem, int ranks, const PlanOptions& options)> consider;
  // `auto` takes the fastest, by simulation. Where the planner may choose all layouts, those that keep fewer ranks busy
  // than others are not looked at: what this one keeps busy counts if it is more than this many times what those before
  // it in the table do; 0: it does not count.
  int reluctance = 1;
};

// Puts it behind those that are there. All ranks of a job add the same routes in the same order, before they plan.
// Throws Error when the name is taken, or something is missing.
void add_route(Route route);

// Takes away one that was added. Throws Error when there is none of that name.
void remove_route(const std::string& name);

struct Stage {
  Layout layout;               // of the array as it comes in: of the spectrum's shape, once the halved axis is done
  std::vector<int> axes = {};  // transformed here, where ranks must hold them whole; in any order
};

// The plan that goes through these stages, and before and after them to where the problem wants its data; or why there
// is none.
Candidate plan_stages(const Problem& problem, int ranks, const PlanOptions& options, std::vector<Stage> stages);

}  // namespace kallima
