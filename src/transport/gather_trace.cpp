// Bringing together what each rank recorded. Events travel as JSON text: it is done once, after the run. Each rank
// takes its events to rank 0's clock before it sends them.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "transport/clocks.hpp"

namespace kallima {
namespace {

using nlohmann::json;

std::string to_text(const Trace& trace, double ahead) {
  json events = json::array();
  for (const Event& e : trace.events)
    events.push_back({e.rank, e.task, static_cast<int>(e.kind), e.label, e.chunk, e.peer, e.start, e.begin - ahead,
                      e.end - ahead, e.elements, e.tag, e.polls, e.polling, e.longest_gap});
  return json{{"events", events}, {"settings", trace.settings}, {"element_bytes", trace.element_bytes}}.dump();
}

void append(Trace& trace, const json& mine) {
  if (trace.settings.empty()) trace.settings = mine["settings"];
  trace.element_bytes = std::max(trace.element_bytes, mine["element_bytes"].get<Index>());
  for (const json& e : mine["events"])
    trace.events.push_back({.rank = e[0],
                            .task = e[1],
                            .kind = static_cast<TaskKind>(e[2].get<int>()),
                            .label = e[3],
                            .chunk = e[4],
                            .peer = e[5],
                            .begin = e[7],
                            .end = e[8],
                            .elements = e[9],
                            .start = e[6],
                            .tag = e[10],
                            .polls = e[11],
                            .polling = e[12],
                            .longest_gap = e[13]});
}

std::string error_text(const std::vector<ClockOffset>& offsets) {
  double error = 0;
  for (const ClockOffset& offset : offsets) error = std::max(error, offset.error);
  return fmt::format("{:.1f} us", 1e6 * error);
}

}  // namespace

Trace gather(const Comm& comm, const Trace& mine) { return gather(comm, mine, steady_seconds); }

Trace gather(const Comm& comm, const Trace& mine, const ReadClock& clock) {
  Trace all{.ranks = comm.size(), .events = {}};
  const std::vector<ClockOffset> offsets = clock_offsets(comm.transport(), clock);
  const double ahead = offsets[static_cast<std::size_t>(comm.rank())].ahead;
  for (const std::string& text : gathered(comm.transport(), to_text(mine, ahead))) append(all, json::parse(text));
  all.settings.emplace_back("clock error", error_text(offsets));
  double begin = std::numeric_limits<double>::infinity();
  for (const Event& e : all.events) begin = std::min(begin, e.begin);
  for (Event& e : all.events) {
    e.begin -= begin;
    e.end -= begin;
  }
  return all;
}

}  // namespace kallima
