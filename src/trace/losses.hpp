#pragma once
// Where a run's time went beyond its bound. The time of the rank that ended last is cut into disjoint parts. Where the
// network is the bound, it loses whenever nothing is under way, or messages are slower than alone. Where computing is,
// it loses whenever it does not compute, or does so slower than alone. So the losses add up to what is to be explained.

#include "kallima/overlap.hpp"
#include "trace/moments.hpp"

namespace kallima {

std::vector<Loss> losses_of(const Trace& trace, const OverlapReport& report);  // whose ranks and bound are known

// Messages that nobody looks at do not move. A rank that computes looks every so often; where it did not for long while
// messages were under way, the time may be lost.
struct Unpolled {
  double time = 0;     // all of it, beyond what does not matter
  int tasks = 0;       // in which it was found
  Event longest = {};  // the task that did not look for longest
  int next = -1;       // and the rank's next
};

Unpolled unpolled(const std::vector<Event>& events, const Intervals& under_way);  // of one rank

// The times among a stage's figures, in the order in which they are shown.
inline constexpr double StageTimes::*stage_times[] = {&StageTimes::computing, &StageTimes::copying,
                                                      &StageTimes::posting, &StageTimes::polling, &StageTimes::waiting};

std::string time_text(double time, const std::string& unit);  // 12.3 ms

}  // namespace kallima
