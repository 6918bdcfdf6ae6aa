#pragma once
// How long ranks take for what they do together.

#include <chrono>

#include "kallima/transport.hpp"

namespace kallima {

// From when the first rank of a machine began, which each says for itself, until the last of them is here; of the
// machine that takes most. Ranks of a machine have one clock, and where they share its cores some come to begin late,
// which their own time does not show. Collective.
double seconds_together(Transport& transport, std::chrono::steady_clock::time_point begin);

}  // namespace kallima
