#pragma once
// Messages that nobody looks at do not move. A rank that computes looks every so often; where it did not for long while
// messages were under way, the time may be lost.

#include "kallima/trace.hpp"
#include "trace/intervals.hpp"

namespace kallima {

struct Unpolled {
  double time = 0;     // all of it, beyond what does not matter
  int tasks = 0;       // in which it was found
  Event longest = {};  // the task that did not look for longest,
  int next = -1;       // and the rank's next
};

Unpolled unpolled(const Trace& trace, int rank, const std::vector<Interval>& under_way);

}  // namespace kallima
