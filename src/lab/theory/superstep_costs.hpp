#pragma once
// The corrected costs where messages are priced by the superstep.

#include "lab/theory/collectives.hpp"

namespace kallima::theory {

Forms superstep_cost(const Collective& collective, const Bsp& machine);

}  // namespace kallima::theory
