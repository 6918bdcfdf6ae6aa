#pragma once
// The two ways to simulate: by messages, and by supersteps.

#include "kallima/simulate.hpp"

namespace kallima {

// What supersteps.cpp and network.cpp find out; simulate() adds what follows from the outline alone.
Simulation simulate_network(const Outline& outline, const Machine& machine, const SimulateOptions& options);
Simulation simulate_supersteps(const Outline& outline, const Bsp& machine, const SimulateOptions& options);

}  // namespace kallima
