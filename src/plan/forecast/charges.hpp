#pragma once
// What the planner's profile says that the parts of a path take, in seconds, so that the layouts of a path can be found
// without simulating all of them. How the path is then exchanged in pieces, and what hides what, simulation tells.

#include "kallima/plan.hpp"

namespace kallima {

struct Charges {
  double exchange = 0;  // however little is sent
  double message = 0;   // of a rank, besides
  double word = 0;      // of a rank: 16 bytes that are sent, or read from where they stand
  double level = 0;     // of a point's transform
};

Charges charges_for(int ranks, const PlanOptions& options);

}  // namespace kallima
