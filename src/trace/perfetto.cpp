// A Trace in the Trace Event Format that ui.perfetto.dev and chrome://tracing open: a process per rank, a slice for
// every event, and every message under way as an asynchronous slice, since several are at once. Times are in
// microseconds.

#include <nlohmann/json.hpp>

#include "base/check.hpp"
#include "kallima/trace.hpp"
#include "trace/flights.hpp"

namespace kallima {
namespace {

using Json = nlohmann::ordered_json;

double microseconds(double seconds) { return seconds * 1e6; }

std::string title(const Event& e) {
  if (e.task < 0) return "waiting";
  return e.label.empty() ? std::string(name(e.kind)) : e.label;
}

Json metadata(const char* what, int rank, const Json& args) {
  return {{"ph", "M"}, {"name", what}, {"pid", rank}, {"tid", 0}, {"args", args}};
}

Json arguments(const Event& e) {
  Json args = {{"task", e.task}, {"kind", name(e.kind)}, {"chunk", e.chunk}, {"elements", e.elements}};
  if (e.peer >= 0) args["peer"] = e.peer;
  return args;
}

Json slice(const Event& e) {
  Json event = {{"ph", "X"},
                {"name", title(e)},
                {"cat", e.task < 0 ? "waiting" : name(e.kind)},
                {"pid", e.rank},
                {"tid", 0},
                {"ts", microseconds(e.begin)},
                {"dur", microseconds(e.end - e.begin)}};
  if (e.task >= 0) event["args"] = arguments(e);
  return event;
}

Json edge(const Transit& f, const char* phase, double at, const std::string& id) {
  return {{"ph", phase},           {"name", fmt::format("{} {}", f.sends() ? "to" : "from", f.start.peer)},
          {"cat", "message"},      {"id", id},
          {"pid", f.start.rank},   {"tid", 0},
          {"ts", microseconds(at)}};
}

void append_flights(Json& events, const Trace& trace, int rank) {
  int number = 0;
  for (const Transit& f : flights(trace, rank)) {
    const std::string id = fmt::format("{}.{}", rank, number++);
    events.push_back(edge(f, "b", f.begin, id));
    events.back()["args"] = arguments(f.start);
    events.push_back(edge(f, "e", f.end, id));
  }
}

}  // namespace

std::string to_perfetto_json(const Trace& trace) {
  Json events = Json::array();
  for (int rank = 0; rank < trace.ranks; ++rank) {
    events.push_back(metadata("process_name", rank, {{"name", fmt::format("rank {}", rank)}}));
    events.push_back(metadata("process_sort_index", rank, {{"sort_index", rank}}));
    events.push_back(metadata("thread_name", rank, {{"name", "tasks"}}));
    append_flights(events, trace, rank);
  }
  for (const Event& e : trace.events) events.push_back(slice(e));
  const Json document = {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}};
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kallima
