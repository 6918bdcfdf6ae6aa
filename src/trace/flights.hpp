#pragma once
// A message in a measured trace is two events at each of its ends, a start and a finish; a Transit is the message as
// one rank saw it, under way from the begin of the one to the end of the other. Where the other end is in the trace,
// too, it is known better: a receive that was posted early is under way only once its sender has sent, and a send no
// longer once it was received. A simulation records messages themselves, as Flights; there a Transit lasts from the
// sending to the arrival.

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
