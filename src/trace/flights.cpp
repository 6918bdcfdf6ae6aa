// A finish belongs to the last start with the task number it names (a trace may hold several runs of one schedule), or,
// where it names none, to the oldest unfinished message in its direction with its peer. Flights of a simulation need no
// pairing; its events of messages are instants, often without a finish. The two ends of a message find each other by
// their tag, and by their order where a tag is used again.

#include <algorithm>
#include <map>
#include <tuple>

#include "trace/moments.hpp"

namespace kallima {
namespace {

bool is_start(const Event& e) { return e.kind == TaskKind::send_start || e.kind == TaskKind::recv_start; }

bool belongs(const Event& finish, const Event& start) {
  const TaskKind kind = finish.kind == TaskKind::send_finish ? TaskKind::send_start : TaskKind::recv_start;
  return start.kind == kind && (finish.start >= 0 ? finish.start == start.task : finish.peer == start.peer);
}

std::vector<Event> messages(const Trace& trace, int rank) {
  std::vector<Event> all;
  for (const Event& e : trace.events)
    if (e.rank == rank && posts(e)) all.push_back(e);
  // A start before its finish at the same moment.
  std::ranges::stable_sort(all, {}, [](const Event& e) { return std::pair(e.begin, e.task); });
  return all;
}

double last_end(const Trace& trace, int rank) {
  double last = 0;
  for (const Event& e : trace.events)
    if (e.rank == rank) last = std::max(last, e.end);
  return last;
}

using Wire = std::tuple<bool, int, int>;  // whether this rank sends, the peer, the tag

// What the other ends of this rank's messages tell: when they sent, and when they had received.
std::map<Wire, std::vector<double>> told_by_peers(const Trace& trace, int rank) {
  std::map<Wire, std::vector<double>> all;
  for (const Event& e : trace.events) {
    if (e.rank == rank || e.peer != rank || e.tag < 0 || e.task < 0) continue;
    if (e.kind == TaskKind::send_start) all[{false, e.rank, e.tag}].push_back(e.begin);
    if (e.kind == TaskKind::recv_finish) all[{true, e.rank, e.tag}].push_back(e.end);
  }
  for (auto& [wire, times] : all) std::sort(times.begin(), times.end());
  return all;
}

void believe_peers(const Trace& trace, int rank, std::vector<Transit>& transits) {
  const auto told = told_by_peers(trace, rank);
  std::map<Wire, std::size_t> seen;
  for (Transit& t : transits) {
    const Wire wire{t.sends(), t.start.peer, t.start.tag};
    const auto found = told.find(wire);
    const std::size_t number = seen[wire]++;
    if (found == told.end() || number >= found->second.size()) continue;
    const double time = std::clamp(found->second[number], t.begin, std::max(t.begin, t.end));
    (t.sends() ? t.end : t.begin) = time;
  }
}

Transit seen_from(const Flight& f, int rank) {
  const bool sends = f.from == rank;
  Event start{.rank = rank, .kind = sends ? TaskKind::send_start : TaskKind::recv_start};
  start.peer = sends ? f.to : f.from;
  start.begin = start.end = f.sent;
  start.elements = f.words;
  return {start, f.sent, f.arrived};
}

std::vector<Transit> simulated(const Trace& trace, int rank) {
  std::vector<Transit> all;
  for (const Flight& f : trace.flights)
    if (f.from == rank || f.to == rank) all.push_back(seen_from(f, rank));
  std::ranges::stable_sort(all, {}, &Transit::begin);
  return all;
}

}  // namespace

std::vector<Transit> flights(const Trace& trace, int rank) {
  if (!trace.flights.empty()) return simulated(trace, rank);
  std::vector<Transit> all;
  std::vector<std::size_t> open;
  const double last = last_end(trace, rank);
  for (const Event& e : messages(trace, rank)) {
    if (is_start(e)) {
      open.push_back(all.size());
      all.push_back({e, e.begin, last});
      continue;
    }
    const auto found = std::find_if(open.begin(), open.end(), [&](std::size_t i) { return belongs(e, all[i].start); });
    if (found == open.end()) continue;
    all[*found].end = e.end;
    open.erase(found);
  }
  believe_peers(trace, rank, all);
  return all;
}

}  // namespace kallima
