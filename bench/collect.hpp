#pragma once
// Small things brought together from all ranks. Everything here is collective.

#include <functional>
#include <string>
#include <vector>

#include "kallima/transport.hpp"

namespace kallima::cli {

double largest(Transport& transport, double mine);
double total(Transport& transport, double mine);

// Seconds that `action` takes on the slowest rank, all having begun together.
double seconds_of(Transport& transport, const std::function<void()>& action);

}  // namespace kallima::cli
