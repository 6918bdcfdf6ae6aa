#pragma once
// The plan that is a path in each direction.

#include "kallima/route.hpp"
#include "plan/exchange/path.hpp"

namespace kallima {

struct Paths {
  Path forward;
  Path backward;
};

// What a route has decided. Paths are settled when the plan is asked what it does, with these options; their cuts are
// written back into the plan's.
struct PathStatement {
  Problem problem;
  PlanOptions options;
  Layout in;
  Layout out;
  Paths paths;
  std::string explanation;
  std::function<std::string(const Path& forward)> explain = {};  // instead, where cuts have a part in it
};
std::unique_ptr<Plan> path_plan(PathStatement statement);

// "2 exchanges: transform axis 2; exchange to ..."
std::string explanation(const Path& path, int ranks);

// Whether a route may choose all layouts, and has only Fourier transforms of complex numbers to do.
bool plain(const Problem& problem);

// What is wrong with an all-to-all that is asked of a route whose blocks go straight to others, if anything is.
std::string straight_trouble(const PlanOptions& options);

// The library's own routes.
using Consider = Candidate(const Problem& problem, int ranks, const PlanOptions& options);
Consider consider_local, consider_cyclic, consider_group_cyclic, consider_slab, consider_pencil, consider_line,
    consider_bluestein;

}  // namespace kallima
