#pragma once
// Sets of moments, as sorted disjoint intervals of time: what is needed to say for how long something was the case when
// several things overlap. And what one rank did when: for each kind of doing, the set of moments at which it was done.

#include <vector>

#include "kallima/trace.hpp"

namespace kallima {

struct Interval {
  double begin = 0;
  double end = 0;
  double length() const { return end - begin; }
  bool operator==(const Interval&) const = default;
};

using Intervals = std::vector<Interval>;

Intervals united(Intervals intervals);
Intervals common(const Intervals& a, const Intervals& b);             // of two united ones
Intervals gaps(const Intervals& united_ones, const Interval& whole);  // what they leave of it
double length(const Intervals& intervals);

// The moments of those items that belong.
template <class Items, class F>
Intervals moments(const Items& items, const F& belongs) {
  Intervals all;
  for (const auto& item : items)
    if (belongs(item)) all.push_back({item.begin, item.end});
  return united(std::move(all));
}
template <class Items>
Intervals moments(const Items& items) {
  return moments(items, [](const auto&) { return true; });
}

// A message in a measured trace is two events at each of its ends, a start and a finish; a Transit is the message as
// one rank saw it, under way from the begin of the one to the end of the other. Where the other end is in the trace,
// too, it is known better: a receive that was posted early is under way only once its sender has sent, and a send no
// longer once it was received. A simulation records messages themselves, as Flights; there a Transit lasts from the
// sending to the arrival.
struct Transit {
  Event start;
  double begin = 0;
  double end = 0;
  bool sends() const { return start.kind == TaskKind::send_start; }
};

// The messages of one rank in the order of their starts. One that is never finished lasts until the rank's last event.
std::vector<Transit> flights(const Trace& trace, int rank);

std::vector<Event> events_of(const Trace& trace, int rank);  // by when they begin

struct Moments {
  Intervals computing;
  Intervals copying;
  Intervals posting;
  Intervals waiting;
  Intervals under_way;  // at least one message of this rank was
  Intervals idle;       // while a message is under way it is not hidden
};

Moments moments_of(const Trace& trace, int rank);

Interval whole(const Trace& trace);  // from the first begin to the last end

inline bool waits(const Event& e) { return e.task < 0; }
inline bool computes(const Event& e) { return !waits(e) && e.kind == TaskKind::compute; }
inline bool copies(const Event& e) { return !waits(e) && e.kind == TaskKind::copy; }
inline bool works(const Event& e) { return computes(e) || copies(e); }
inline bool posts(const Event& e) { return !waits(e) && !works(e); }

// Files for Perfetto count in microseconds.
inline double microseconds_per_unit(const std::string& unit) { return unit == "s" ? 1e6 : 1; }

// Its own label, or else the name of its kind.
inline std::string stage_label(const Event& e) { return e.label.empty() ? std::string(name(e.kind)) : e.label; }

}  // namespace kallima
