#pragma once
// How long a transform should take on a device, on one rank: its schedule, each computation at what it takes there by
// itself and the bus at its measured rates, simulated.

#include "kallima/plan.hpp"

namespace kallima::cli {

struct DevicePrediction {
  double seconds = 0;
  std::string machine = {};  // what it was simulated on
};

// Of `fields` arrays through one pipeline.
DevicePrediction predicted_on_device(const Plan& plan, int fields, int device);

// What Czechowski et al. expect of a cube of n^3 doubles with the numbers that this device has, in words, beside what
// was measured; empty for other arrays. `bus`: the array comes from the host and goes back.
std::string paper_model(const Problem& problem, bool bus, int device, double measured_s);

}  // namespace kallima::cli
