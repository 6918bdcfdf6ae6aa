#include "trace/moments.hpp"

#include <algorithm>

#include "trace/flights.hpp"

namespace kallima {
namespace {

template <class F>
std::vector<Interval> moments(const Trace& trace, int rank, const F& belongs) {
  std::vector<Interval> all;
  for (const Event& e : trace.events)
    if (e.rank == rank && belongs(e)) all.push_back({e.begin, e.end});
  return united(std::move(all));
}

std::vector<Interval> under_way(const Trace& trace, int rank) {
  std::vector<Interval> all;
  for (const Transit& f : flights(trace, rank)) all.push_back({f.begin, f.end});
  return united(std::move(all));
}

}  // namespace

Interval whole(const Trace& trace) {
  if (trace.events.empty()) return {};
  Interval all{trace.events.front().begin, trace.events.front().end};
  for (const Event& e : trace.events) all = {std::min(all.begin, e.begin), std::max(all.end, e.end)};
  return all;
}

// A simulation has no events of waiting: a processor that does nothing waits. And as every message is known there, it
// is hidden only behind work: a processor that is busy sending hides nothing.
Moments moments_of(const Trace& trace, int rank) {
  Moments m{.computing = moments(trace, rank, computes),
            .copying = moments(trace, rank, copies),
            .posting = moments(trace, rank, posts),
            .waiting = moments(trace, rank, waits),
            .under_way = under_way(trace, rank),
            .idle = {}};
  if (!trace.flights.empty()) {
    m.waiting = gaps(moments(trace, rank, [](const Event& e) { return !waits(e); }), whole(trace));
    m.idle = gaps(moments(trace, rank, works), whole(trace));
  } else {
    m.idle = m.waiting;
  }
  return m;
}

}  // namespace kallima
