// A Trace in the Trace Event Format that ui.perfetto.dev and chrome://tracing open: a process per rank, a slice for
// every event, and every message under way as an asynchronous slice, since several are at once. Times are in
// microseconds; a simulation that counts in nodes shows 1 node as 1 us. What the format has no place for stands in a
// member of our own, `kallima`, which comes last because Perfetto stops reading where it knows a member no more.

#include <nlohmann/json.hpp>

#include "base/check.hpp"
#include "trace/moments.hpp"

namespace kallima {
namespace {

using Json = nlohmann::ordered_json;

Json metadata(const char* what, int rank, const Json& args) {
  return {{"ph", "M"}, {"name", what}, {"pid", rank}, {"tid", 0}, {"args", args}};
}

Json arguments(const Event& e, double tick) {
  Json args = {{"task", e.task}, {"kind", name(e.kind)}, {"chunk", e.chunk}, {"elements", e.elements}};
  if (e.peer >= 0) args["peer"] = e.peer;
  if (e.start >= 0) args["start"] = e.start;
  if (e.tag >= 0) args["tag"] = e.tag;
  if (e.polls > 0) args.update({{"polls", e.polls}, {"polling", e.polling * tick}});
  if (e.longest_gap > 0) args["longestGap"] = e.longest_gap * tick;
  return args;
}

Json slice(const Event& e, double tick) {
  Json event = {{"ph", "X"},
                {"name", waits(e) ? "waiting" : stage_label(e)},
                {"cat", waits(e) ? "waiting" : name(e.kind)},
                {"pid", e.rank},
                {"tid", 0},
                {"ts", e.begin * tick},
                {"dur", (e.end - e.begin) * tick}};
  if (!waits(e)) event["args"] = arguments(e, tick);
  return event;
}

void append_messages(Json& events, const Trace& trace, int rank) {
  const double tick = microseconds_per_unit(trace.unit);
  int number = 0;
  for (const Transit& f : flights(trace, rank)) {
    Json edge = {{"ph", "b"}, {"name", fmt::format("{} {}", f.sends() ? "to" : "from", f.start.peer)}};
    edge.update({{"cat", "message"}, {"id", fmt::format("{}.{}", rank, number++)}, {"pid", rank}, {"tid", 0}});
    edge["ts"] = f.begin * tick;
    events.push_back(edge);
    events.back()["args"] = arguments(f.start, tick);
    edge.update({{"ph", "e"}, {"ts", f.end * tick}});
    events.push_back(std::move(edge));
  }
}

// For people who look at the file's metadata.
Json notes(const Trace& trace) {
  Json all = {{"program", "kallima"}};
  if (!trace.title.empty()) all["title"] = trace.title;
  if (trace.unit != "s") all["time"] = fmt::format("1 us stands for 1 {}", trace.unit);
  for (const auto& [name, value] : trace.settings) all.emplace(name, value);
  return all;
}

// Flights as rows of numbers in the trace's own unit: there may be a million of them.
Json own_member(const Trace& trace) {
  Json rows = Json::array();
  for (const Flight& f : trace.flights)
    rows.push_back(Json::array({f.from, f.to, f.words, f.sent, f.departed, f.arrived, f.taken}));
  Json settings = Json::array();
  for (const auto& [name, value] : trace.settings) settings.push_back(Json::array({name, value}));
  return {{"ranks", trace.ranks},
          {"unit", trace.unit},
          {"title", trace.title},
          {"settings", std::move(settings)},
          {"elementBytes", trace.element_bytes},
          {"flightColumns", {"from", "to", "words", "sent", "departed", "arrived", "taken"}},
          {"flights", std::move(rows)}};
}

}  // namespace

std::string to_perfetto_json(const Trace& trace) {
  Json events = Json::array();
  for (int rank = 0; rank < trace.ranks; ++rank) {
    events.push_back(metadata("process_name", rank, {{"name", fmt::format("rank {}", rank)}}));
    events.push_back(metadata("process_sort_index", rank, {{"sort_index", rank}}));
    events.push_back(metadata("thread_name", rank, {{"name", "tasks"}}));
    append_messages(events, trace, rank);
  }
  for (const Event& e : trace.events) events.push_back(slice(e, microseconds_per_unit(trace.unit)));
  const Json document = {{"displayTimeUnit", "ms"},
                         {"traceEvents", std::move(events)},
                         {"otherData", notes(trace)},
                         {"kallima", own_member(trace)}};
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kallima
