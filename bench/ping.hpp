#pragma once
// How long the smallest message takes.

#include "kallima/transport.hpp"

namespace kallima::cli {

// Half of what a message of 16 bytes takes to the next rank and back: the median over a few, between ranks 0 and 1.
// 0 on a single rank. Collective.
double half_round_trip(Transport& transport);

}  // namespace kallima::cli
