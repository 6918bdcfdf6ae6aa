#pragma once
// The choice among candidates: by what the planner's profile says they take.

#include <functional>
#include <map>

#include "plan/choose/cuttings.hpp"

namespace kallima {

struct Choice {
  std::string route;
  std::map<std::string, double> seconds = {};  // of what was compared, by route, as it is cut best:
  std::map<std::string, Cutting> cuttings = {};
};

// A route by its name, with other options.
using ConsiderAgain = std::function<Candidate(const std::string& route, const PlanOptions& options)>;

// Which of the candidates, which all have plans, and how it is cut; the first of them where nothing is faster.
Choice fastest_of(const std::vector<Candidate>& all, const PlanOptions& options, const ConsiderAgain& again);

// What find() says, unless it was asked before: equal arguments have equal answers as long as there are the same
// routes. Ranks that are threads plan the same at once; one of them finds the answer.
Choice remembered_choice(const Problem& problem, int ranks, const PlanOptions& options,
                         const std::function<Choice()>& find);

void forget_choices();  // where there are other routes now

}  // namespace kallima
