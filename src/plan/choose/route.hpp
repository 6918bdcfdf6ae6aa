#pragma once
// A route is one way to make a plan. To add one: a file that defines its consider_IDENTIFIER, and a row
// KALLIMA_ROUTE(IDENTIFIER, "name for users", "what it does") in the list of routes.def.

#include <memory>
#include <string>
#include <string_view>

#include "kallima/plan.hpp"

namespace kallima {

// Either a plan, or why this route does not apply, which is a normal answer.
struct Answer {
  std::unique_ptr<Plan> plan = nullptr;
  std::string reason = {};
  double cost = 0;  // of a problem that is not plain, in words moved by the busiest rank
  int busy = 0;     // ranks that always have something to do; 0: all that own anything
};

struct Route {
  std::string_view name;
  std::string_view summary;
  Answer (*consider)(const Problem& problem, int ranks, const PlanOptions& options);
};

}  // namespace kallima
