// Statistics of a Trace. Everything is measured as the length of a set of moments, so events that overlap, as they may
// where a progress thread works beside the rank, are not counted twice.

#include "kallima/trace.hpp"

#include <algorithm>

#include "trace/flights.hpp"
#include "trace/intervals.hpp"

namespace kallima {
namespace {

template <class F>
std::vector<Interval> moments(const Trace& trace, int rank, const F& belongs) {
  std::vector<Interval> all;
  for (const Event& e : trace.events)
    if (e.rank == rank && belongs(e)) all.push_back({e.begin, e.end});
  return united(std::move(all));
}

bool waits(const Event& e) { return e.task < 0; }

bool computes(const Event& e) { return !waits(e) && e.kind == TaskKind::compute; }

bool copies(const Event& e) { return !waits(e) && e.kind == TaskKind::copy; }

bool posts(const Event& e) { return !waits(e) && !computes(e) && !copies(e); }

std::vector<Interval> under_way(const Trace& trace, int rank) {
  std::vector<Interval> all;
  for (const Transit& f : flights(trace, rank)) all.push_back({f.begin, f.end});
  return united(std::move(all));
}

Interval whole(const Trace& trace) {
  if (trace.events.empty()) return {};
  Interval all{trace.events.front().begin, trace.events.front().end};
  for (const Event& e : trace.events) all = {std::min(all.begin, e.begin), std::max(all.end, e.end)};
  return all;
}

// A simulation has no events of waiting: a processor that does nothing waits.
std::vector<Interval> idle(const Trace& trace, int rank) {
  if (trace.flights.empty()) return moments(trace, rank, waits);
  return gaps(moments(trace, rank, [](const Event& e) { return !waits(e); }), whole(trace));
}

// Where every message is known, it is hidden only behind work: a processor that is busy sending hides nothing.
std::vector<Interval> not_working(const Trace& trace, int rank) {
  return gaps(moments(trace, rank, [](const Event& e) { return computes(e) || copies(e); }), whole(trace));
}

}  // namespace

double makespan(const Trace& trace) {
  const Interval all = whole(trace);
  return all.end - all.begin;
}

RankTimes rank_times(const Trace& trace, int rank) {
  const auto waiting = idle(trace, rank);
  const auto communication = under_way(trace, rank);
  const auto exposed = trace.flights.empty() ? waiting : not_working(trace, rank);
  RankTimes times{.computing = length(moments(trace, rank, computes)),
                  .copying = length(moments(trace, rank, copies)),
                  .posting = length(moments(trace, rank, posts)),
                  .waiting = length(waiting),
                  .communication = length(communication),
                  .exposed = length(common(exposed, communication))};
  if (times.communication > 0) times.hidden_share = std::clamp(1 - times.exposed / times.communication, 0.0, 1.0);
  return times;
}

}  // namespace kallima
