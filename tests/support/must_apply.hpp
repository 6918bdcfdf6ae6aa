#pragma once
// When a route has no excuse: conditions under which it can do a complex transform along all axes, as the papers state
// them and not as the planner finds them. A test that goes through all routes may pass over a refusal only where these
// do not hold.

#include <gtest/gtest.h>

#include <algorithm>

#include "base/bits.hpp"
#include "kallima/plan.hpp"

namespace kallima {

inline bool must_apply(const std::string& route, const Shape& shape, int ranks) {
  const Index p = ranks;
  const auto extents = [&](auto fits) { return std::count_if(shape.begin(), shape.end(), fits); };
  if (route == "auto") return true;
  if (route == "local") return ranks == 1;
  if (route == "cyclic") return ranks > 1 && extents([&](Index n) { return n % (p * p) == 0; }) > 0;
  if (route == "group-cyclic")
    return shape.size() == 1 && power_of_two(shape[0]) && power_of_two(p) && 1 < p && p < shape[0];
  if (route == "slab" || route == "pencil") return ranks > 1 && extents([&](Index n) { return n >= p; }) > 1;
  if (route == "bluestein") return shape.size() == 1 && ranks > 1 && shape[0] > 1;
  if (route == "line") return shape.size() == 1 && ranks > 1 && shape[0] % p == 0 && shape[0] / p > p;
  ADD_FAILURE() << "nobody has said when route " << route << " must apply";
  return true;
}

// Nothing, where the route refuses and may.
inline std::unique_ptr<Plan> plan_unless_excused(const Problem& problem, int ranks, const PlanOptions& options) {
  try {
    return plan(problem, ranks, options);
  } catch (const Error& error) {
    EXPECT_FALSE(must_apply(options.route, problem.shape, ranks)) << error.what();
    return nullptr;
  }
}

}  // namespace kallima
