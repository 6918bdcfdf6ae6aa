#include "trace/unpolled.hpp"

#include <limits>

#include "trace/moments.hpp"

namespace kallima {
namespace {

constexpr double tolerated = 1e-3;  // seconds; pieces that are posted travel that long by themselves

int task_after(const Trace& trace, const Event& task) {
  double earliest = std::numeric_limits<double>::infinity();
  int next = task.task;
  for (const Event& e : trace.events) {
    if (e.rank != task.rank || waits(e) || e.begin < task.end || e.begin >= earliest) continue;
    earliest = e.begin;
    next = e.task;
  }
  return next;
}

}  // namespace

Unpolled unpolled(const Trace& trace, int rank, const std::vector<Interval>& under_way) {
  Unpolled found;
  for (const Event& e : trace.events) {
    if (e.rank != rank || !works(e) || e.longest_gap <= tolerated) continue;
    const double matters = std::min(e.longest_gap, length(common({{e.begin, e.end}}, under_way))) - tolerated;
    if (matters <= 0) continue;
    found.time += matters;
    ++found.tasks;
    if (e.longest_gap > found.longest.longest_gap) found.longest = e;
  }
  if (found.tasks > 0) found.next = task_after(trace, found.longest);
  return found;
}

}  // namespace kallima
