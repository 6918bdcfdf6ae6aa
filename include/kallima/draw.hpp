#pragma once
// Pictures of a Trace.

#include <string>

#include "kallima/trace.hpp"

namespace kallima {

// A timeline for a terminal, one row per rank, `columns` characters wide, with a legend and the times it spans.
std::string draw_text(const Trace& trace, int columns = 100);

}  // namespace kallima
