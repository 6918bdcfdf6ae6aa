// A finish belongs to the last start with the task number it names (a trace may hold several runs of one schedule), or,
// where it names none, to the oldest unfinished message in its direction with its peer. Flights of a simulation need no
// pairing; its events of messages are instants, often without a finish.

#include "trace/flights.hpp"

#include <algorithm>

namespace kallima {
namespace {

bool is_start(const Event& e) {
  return e.task >= 0 && (e.kind == TaskKind::send_start || e.kind == TaskKind::recv_start);
}

bool is_finish(const Event& e) {
  return e.task >= 0 && (e.kind == TaskKind::send_finish || e.kind == TaskKind::recv_finish);
}

bool belongs(const Event& finish, const Event& start) {
  const TaskKind kind = finish.kind == TaskKind::send_finish ? TaskKind::send_start : TaskKind::recv_start;
  return start.kind == kind && (finish.start >= 0 ? finish.start == start.task : finish.peer == start.peer);
}

std::vector<Event> messages(const Trace& trace, int rank) {
  std::vector<Event> all;
  for (const Event& e : trace.events)
    if (e.rank == rank && (is_start(e) || is_finish(e))) all.push_back(e);
  std::stable_sort(all.begin(), all.end(), [](const Event& a, const Event& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.task < b.task;  // a start before its finish at the same moment
  });
  return all;
}

double last_end(const Trace& trace, int rank) {
  double last = 0;
  for (const Event& e : trace.events)
    if (e.rank == rank) last = std::max(last, e.end);
  return last;
}

Transit seen_from(const Flight& f, int rank) {
  const bool sends = f.from == rank;
  const TaskKind kind = sends ? TaskKind::send_start : TaskKind::recv_start;
  const Event start{.rank = rank,
                    .kind = kind,
                    .label = {},
                    .peer = sends ? f.to : f.from,
                    .begin = f.sent,
                    .end = f.sent,
                    .elements = f.words};
  return {start, f.sent, f.arrived};
}

std::vector<Transit> simulated(const Trace& trace, int rank) {
  std::vector<Transit> all;
  for (const Flight& f : trace.flights)
    if (f.from == rank || f.to == rank) all.push_back(seen_from(f, rank));
  std::stable_sort(all.begin(), all.end(), [](const Transit& a, const Transit& b) { return a.begin < b.begin; });
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
  return all;
}

}  // namespace kallima
