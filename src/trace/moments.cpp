// Statistics of a Trace. Everything is measured as the length of a set of moments, so events that overlap, as they may
// where a progress thread works beside the rank, are not counted twice. Union is by sorting and joining, intersection
// by walking along both at once, gaps by walking along one.

#include "trace/moments.hpp"

#include <algorithm>

namespace kallima {
namespace {

template <class F>
Intervals moments(const Trace& trace, int rank, const F& belongs) {
  Intervals all;
  for (const Event& e : trace.events)
    if (e.rank == rank && belongs(e)) all.push_back({e.begin, e.end});
  return united(std::move(all));
}

Intervals under_way(const Trace& trace, int rank) {
  Intervals all;
  for (const Transit& f : flights(trace, rank)) all.push_back({f.begin, f.end});
  return united(std::move(all));
}

}  // namespace

Intervals united(Intervals intervals) {
  std::erase_if(intervals, [](const Interval& i) { return !(i.begin < i.end); });
  std::ranges::sort(intervals, {}, &Interval::begin);
  Intervals all;
  for (const Interval& i : intervals) {
    if (!all.empty() && i.begin <= all.back().end)
      all.back().end = std::max(all.back().end, i.end);
    else
      all.push_back(i);
  }
  return all;
}

Intervals common(const Intervals& a, const Intervals& b) {
  Intervals all;
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end(); x->end < y->end ? ++x : ++y) {
    const Interval both{std::max(x->begin, y->begin), std::min(x->end, y->end)};
    if (both.begin < both.end) all.push_back(both);
  }
  return all;
}

Intervals gaps(const Intervals& united_ones, const Interval& whole) {
  Intervals all;
  double from = whole.begin;
  for (const Interval& i : united_ones) {
    if (from < std::min(i.begin, whole.end)) all.push_back({from, std::min(i.begin, whole.end)});
    from = std::max(from, i.end);
  }
  if (from < whole.end) all.push_back({from, whole.end});
  return all;
}

double length(const Intervals& intervals) {
  double sum = 0;
  for (const Interval& i : intervals) sum += i.length();
  return sum;
}

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

double makespan(const Trace& trace) { return whole(trace).length(); }

RankTimes rank_times(const Trace& trace, int rank) {
  const Moments m = moments_of(trace, rank);
  RankTimes times{.computing = length(m.computing),
                  .copying = length(m.copying),
                  .posting = length(m.posting),
                  .waiting = length(m.waiting),
                  .communication = length(m.under_way),
                  .exposed = length(common(m.idle, m.under_way))};
  if (times.communication > 0) times.hidden_share = std::clamp(1 - times.exposed / times.communication, 0.0, 1.0);
  return times;
}

}  // namespace kallima
