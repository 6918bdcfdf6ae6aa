#pragma once
// Roots of unity on the device, exact to the last bit. Transforms of the same length share a table.

#include <memory>

#include "kallima/types.hpp"

namespace kallima::cuda {

// For 2^bits points, as root_exponents() orders them, on the current device.
std::shared_ptr<const void> root_table(int bits, Precision precision);

}  // namespace kallima::cuda
