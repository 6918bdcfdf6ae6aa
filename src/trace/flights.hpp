#pragma once
// A message in a trace is two events, a start and a finish; a Transit is the message itself, under way from the begin
// of the one to the end of the other. (A Flight is the same of a simulation, which knows more about it.)

#include <vector>

#include "kallima/trace.hpp"

namespace kallima {

struct Transit {
  Event start;
  double begin = 0;
  double end = 0;
  bool sends() const { return start.kind == TaskKind::send_start; }
};

// The messages of one rank in the order of their starts. One that is never finished lasts until the rank's last event.
std::vector<Transit> flights(const Trace& trace, int rank);

}  // namespace kallima
