#pragma once
// A route is one way to make a plan. To add one: a file that defines a Route's `consider`, and a row in the table of
// routes.cpp.

#include <memory>
#include <string>
#include <string_view>

#include "kallima/plan.hpp"

namespace kallima {

// Either a plan, or why this route does not apply, which is a normal answer.
struct Answer {
  std::unique_ptr<Plan> plan = nullptr;
  std::string reason = {};
};

struct Route {
  std::string_view name;
  std::string_view summary;
  Answer (*consider)(const Problem& problem, int ranks, const PlanOptions& options);
};

Answer consider_local(const Problem& problem, int ranks, const PlanOptions& options);
Answer consider_cyclic(const Problem& problem, int ranks, const PlanOptions& options);
Answer consider_slab(const Problem& problem, int ranks, const PlanOptions& options);

}  // namespace kallima
