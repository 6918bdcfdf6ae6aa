#pragma once
// Sets of moments, as sorted disjoint intervals of time: what is needed to say for how long something was the case when
// several things overlap. What one rank did when: the moments of each kind of doing. And what of them was lost.

#include "kallima/overlap.hpp"

namespace kallima {

struct Interval {
  double begin = 0, end = 0;
  double length() const { return end - begin; }
  bool operator==(const Interval&) const = default;
};

using Intervals = std::vector<Interval>;

Intervals united(Intervals intervals);
Intervals common(const Intervals& a, const Intervals& b);             // of two united ones
Intervals gaps(const Intervals& united_ones, const Interval& whole);  // what they leave of it
double length(const Intervals& intervals);

// The moments of those items that belong.
template <class Items, class F = decltype([](const typename Items::value_type&) { return true; })>
Intervals moments(const Items& items, const F& belongs = {}) {
  Intervals all;
  for (const auto& item : items)
    if (belongs(item)) all.push_back({item.begin, item.end});
  return united(std::move(all));
}

// A message in a measured trace is two events at each of its ends, a start and a finish; a Transit is the message as
// one rank saw it, under way from the begin of the one to the end of the other. Where the other end is in the trace,
// too, it is known better: a receive that was posted early is under way only once its sender has sent, and a send no
// longer once it was received. A simulation records messages themselves, as Flights; there a Transit lasts from the
// sending to the arrival.
struct Transit {
  Event start;
  double begin = 0, end = 0;
  bool sends() const { return start.kind == TaskKind::send_start; }
};

// The messages of one rank in the order of their starts. One that is never finished lasts until the rank's last event.
std::vector<Transit> flights(const Trace& trace, int rank);

std::vector<Event> events_of(const Trace& trace, int rank);  // all that it did itself, by when they begin

struct Moments {
  Intervals computing, copying, posting, waiting;
  Intervals under_way;  // at least one message of this rank was
  Intervals idle;       // while a message is under way it is not hidden
};

Moments moments_of(const Trace& trace, int rank);

Interval whole(const Trace& trace);  // from the first begin to the last end

inline bool waits(const Event& e) { return e.task < 0; }
inline bool computes(const Event& e) { return !waits(e) && e.kind == TaskKind::compute; }
// A copy that is part of a message's way, made by an engine of the device's: no work of the rank.
inline bool carries(const Event& e) { return !waits(e) && e.kind == TaskKind::copy && e.peer >= 0; }
inline bool copies(const Event& e) { return !waits(e) && e.kind == TaskKind::copy && !carries(e); }
inline bool works(const Event& e) { return computes(e) || copies(e); }
inline bool posts(const Event& e) { return !waits(e) && !works(e) && !carries(e); }

// Its own label, or else the name of its kind.
inline std::string stage_label(const Event& e) { return e.label.empty() ? std::string(name(e.kind)) : e.label; }

// Where a run's time went beyond its bound. The time of the rank that ended last is cut into disjoint parts, so that
// the losses add up to what is to be explained.
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
