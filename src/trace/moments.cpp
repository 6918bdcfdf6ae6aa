// Statistics of a Trace. Everything is measured as the length of a set of moments, so events that overlap, as they may
// where a progress thread works beside the rank, are not counted twice. Union is by sorting and joining, intersection
// by walking along both at once, gaps by walking along one.
//
// A finish belongs to the last start with the task number it names (a trace may hold several runs of one schedule), or,
// where it names none, to the oldest unfinished message in its direction with its peer. Flights of a simulation need no
// pairing; its events of messages are instants, often without a finish. The two ends of a message find each other by
// their tag, and by their order where a tag is used again.

#include "trace/moments.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

namespace kallima {
namespace {

bool belongs(const Event& finish, const Event& start) {
  const TaskKind kind = finish.kind == TaskKind::send_finish ? TaskKind::send_start : TaskKind::recv_start;
  return start.kind == kind && (finish.start >= 0 ? finish.start == start.task : finish.peer == start.peer);
}

using Channel = std::tuple<bool, int, int>;  // whether this rank sends, the peer, the tag

// The other ends of this rank's messages tell when they sent, and when they had received.
void believe_peers(const Trace& trace, int rank, std::vector<Transit>& transits) {
  std::map<Channel, std::deque<double>> told;
  for (const Event& e : trace.events) {
    if (e.rank == rank || e.peer != rank || e.tag < 0 || e.task < 0) continue;
    if (e.kind == TaskKind::send_start) told[{false, e.rank, e.tag}].push_back(e.begin);
    if (e.kind == TaskKind::recv_finish) told[{true, e.rank, e.tag}].push_back(e.end);
  }
  for (auto& [wire, times] : told) std::ranges::sort(times);
  for (Transit& t : transits) {
    std::deque<double>& times = told[{t.sends(), t.start.peer, t.start.tag}];
    if (times.empty()) continue;
    (t.sends() ? t.end : t.begin) = std::clamp(times.front(), t.begin, std::max(t.begin, t.end));
    times.pop_front();
  }
}

std::vector<Transit> simulated(const Trace& trace, int rank) {
  std::vector<Transit> all;
  for (const Flight& f : trace.flights) {
    if (f.from != rank && f.to != rank) continue;
    const bool sends = f.from == rank;
    Event start{.rank = rank, .kind = sends ? TaskKind::send_start : TaskKind::recv_start};
    start.peer = sends ? f.to : f.from;
    start.begin = start.end = f.sent;
    start.elements = f.words;
    all.push_back({start, f.sent, f.arrived});
  }
  std::ranges::stable_sort(all, {}, &Transit::begin);
  return all;
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

std::vector<Event> events_of(const Trace& trace, int rank) {
  std::vector<Event> all;
  std::ranges::copy_if(trace.events, std::back_inserter(all),
                       [&](const Event& e) { return e.rank == rank && !carries(e); });
  std::ranges::stable_sort(all, {}, &Event::begin);
  return all;
}

std::vector<Transit> flights(const Trace& trace, int rank) {
  if (!trace.flights.empty()) return simulated(trace, rank);
  std::vector<Event> events = events_of(trace, rank);
  const double last = events.empty() ? 0 : std::ranges::max(events, {}, &Event::end).end;
  // A start before its finish at the same moment.
  std::ranges::stable_sort(events, {}, [](const Event& e) { return std::pair(e.begin, e.task); });
  std::vector<Transit> all;
  std::vector<std::size_t> open;
  for (const Event& e : events) {
    if (!posts(e)) continue;
    if (e.kind == TaskKind::send_start || e.kind == TaskKind::recv_start) {
      open.push_back(all.size());
      all.push_back({e, e.begin, last});
      continue;
    }
    const auto found = std::ranges::find_if(open, [&](std::size_t i) { return belongs(e, all[i].start); });
    if (found == open.end()) continue;
    all[*found].end = e.end;
    open.erase(found);
  }
  believe_peers(trace, rank, all);
  return all;
}

// A simulation has no events of waiting: a processor that does nothing waits. Messages are hidden behind work only: a
// processor that is busy sending hides nothing.
Moments moments_of(const Trace& trace, int rank) {
  const std::vector<Event> events = events_of(trace, rank);
  Moments m{.computing = moments(events, computes),
            .copying = moments(events, copies),
            .posting = moments(events, posts),
            .waiting = moments(events, waits),
            .under_way = moments(flights(trace, rank)),
            .idle = {}};
  m.idle = gaps(moments(events, works), whole(trace));
  if (!trace.flights.empty()) m.waiting = gaps(moments(events, [](const Event& e) { return !waits(e); }), whole(trace));
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
  for (const Event& e : trace.events)
    if (e.rank == rank && works(e) && times.communication > 0) times.exposed += e.polling;
  times.exposed = std::min(times.exposed, times.communication);
  if (times.communication > 0) times.hidden_share = std::clamp(1 - times.exposed / times.communication, 0.0, 1.0);
  return times;
}

std::optional<double> hidden_share(const Trace& trace) {
  const auto in_place = [](const Event& e) { return e.in_place || e.kind != TaskKind::recv_start || waits(e); };
  if (trace.flights.empty() && std::ranges::all_of(trace.events, in_place)) return {};
  double communication = 0, exposed = 0;
  for (int rank = 0; rank < trace.ranks; ++rank) {
    const RankTimes times = rank_times(trace, rank);
    communication += times.communication;
    exposed += times.exposed;
  }
  if (communication <= 0) return {};
  return 1 - exposed / communication;
}

}  // namespace kallima
