// A Trace in the Trace Event Format that ui.perfetto.dev and chrome://tracing open: a process per rank, a slice for
// every event, and every message under way as an asynchronous slice, since several are at once. Times are in
// microseconds; a simulation that counts in nodes shows 1 node as 1 us. What the format has no place for stands in a
// member of our own, `kallima`, which comes last because Perfetto stops reading where it knows a member no more.
//
// Read again, slices become events; messages and names of processes are left alone, because they follow from the events
// and from the member `kallima`. A file without that member is taken to be in seconds.

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "schedule/json_reader.hpp"
#include "trace/moments.hpp"

namespace kallima {
namespace {

using Json = nlohmann::ordered_json;

double microseconds_per_unit(const std::string& unit) { return unit == "s" ? 1e6 : 1; }

Json metadata(const char* what, int rank, const Json& args) {
  return {{"ph", "M"}, {"name", what}, {"pid", rank}, {"tid", 0}, {"args", args}};
}

// Left out of a file where they have their defaults.
constexpr std::pair<const char*, int Event::*> optional[] = {
    {"peer", &Event::peer}, {"start", &Event::start}, {"tag", &Event::tag}, {"polls", &Event::polls}};

Json arguments(const Event& e, double tick) {
  Json args = {{"task", e.task}, {"kind", name(e.kind)}, {"chunk", e.chunk}, {"elements", e.elements}};
  for (const auto& [member, value] : optional)
    if (e.*value != Event{}.*value) args[member] = e.*value;
  if (e.in_place) args["inPlace"] = true;
  if (e.polls > 0) args["polling"] = e.polling * tick;
  if (e.longest_gap > 0) args["longestGap"] = e.longest_gap * tick;
  return args;
}

// Copies between a host and its device, as tasks or on a message's way, are made by engines, which have lanes of their
// own.
constexpr std::array<std::string_view, 3> engine_lanes{"tasks", "to device", "from device"};

std::size_t lane_of(const Event& e) {
  if (e.kind != TaskKind::copy || e.task < 0) return 0;
  const auto found = std::ranges::find(engine_lanes, std::string_view(e.label));
  return found == engine_lanes.end() ? 0 : at(found - engine_lanes.begin());
}

Json slice(const Event& e, double tick) {
  Json event = {{"ph", "X"},
                {"name", waits(e) ? "waiting" : stage_label(e)},
                {"cat", waits(e) ? "waiting" : name(e.kind)},
                {"pid", e.rank},
                {"tid", lane_of(e)},
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
  return {{"ranks", trace.ranks},
          {"unit", trace.unit},
          {"title", trace.title},
          {"settings", trace.settings},
          {"elementBytes", trace.element_bytes},
          {"flightColumns", {"from", "to", "words", "sent", "departed", "arrived", "taken"}},
          {"flights", std::move(rows)}};
}

constexpr int max_ranks = 1 << 24;  // more would be a damaged file

template <class Int = int>
Int whole(const Located& place, Int least = 0, Int most = std::numeric_limits<Int>::max()) {
  const Int number = as<Int>(place);
  place.wants(number >= least && number <= most, "a whole number in its range");
  return number;
}

double moment(const Located& place) {
  place.wants(std::abs(as<double>(place)) <= 1e100, "a time of at most 1e100");  // so that sums of times stay finite
  return as<double>(place);
}

// Of a part of an event, in the file's microseconds.
double duration(const Located& place) {
  place.wants(moment(place) >= 0, "a length of at least 0");
  return moment(place);
}

void read_arguments(const Located& args, double tick, Event& e) {
  e.task = whole(args.at("task"));
  e.kind = as<TaskKind>(args.at("kind"));
  e.chunk = as<int>(args.at("chunk"));
  e.elements = whole<Index>(args.at("elements"));
  for (const auto& [member, value] : optional)
    if (args.has(member)) e.*value = whole(args.at(member));
  if (args.has("inPlace")) e.in_place = as<bool>(args.at("inPlace"));
  if (args.has("polling")) e.polling = duration(args.at("polling")) / tick;
  if (args.has("longestGap")) e.longest_gap = duration(args.at("longestGap")) / tick;
  if (e.label == name(e.kind)) e.label.clear();  // the writer's stand-in for no label
}

Event read_slice(const Located& slice, double tick) {
  Event e{.rank = whole(slice.at("pid"), 0, max_ranks - 1), .label = as<std::string>(slice.at("name"))};
  e.begin = moment(slice.at("ts")) / tick;
  e.end = e.begin + duration(slice.at("dur")) / tick;
  if (!slice.has("args") && as<std::string>(slice.at("cat")) == "waiting")
    e.label.clear();
  else
    read_arguments(slice.at("args"), tick, e);
  return e;
}

Flight read_flight(const Located& row, int ranks) {
  row.wants(row.items() == 7, "an array of 7 numbers");
  const auto rank = [&](std::size_t i) { return whole(row.at(i), 0, ranks - 1); };
  const auto time = [&](std::size_t i) { return moment(row.at(i)); };
  return {rank(0), rank(1), whole<Index>(row.at(2)), time(3), time(4), time(5), time(6)};
}

// Files of before there were settings have none.
void read_own_member(const Located& own, Trace& trace) {
  trace.ranks = whole(own.at("ranks"), 0, max_ranks);
  trace.unit = as<std::string>(own.at("unit"));
  trace.title = as<std::string>(own.at("title"));
  if (own.has("elementBytes")) trace.element_bytes = whole<Index>(own.at("elementBytes"));
  for (std::size_t i = 0; own.has("settings") && i < own.at("settings").items(); ++i) {
    const Located pair = own.at("settings").at(i);
    pair.wants(pair.items() == 2, "a name and a value");
    trace.settings.emplace_back(as<std::string>(pair.at(std::size_t{0})), as<std::string>(pair.at(std::size_t{1})));
  }
  const Located flights = own.at("flights");
  for (std::size_t i = 0; i < flights.items(); ++i) trace.flights.push_back(read_flight(flights.at(i), trace.ranks));
}

void read_events(const Located& events, Trace& trace, bool ranks_known) {
  for (std::size_t i = 0; i < events.items(); ++i) {
    const Located event = events.at(i);
    if (as<std::string>(event.at("ph")) != "X") continue;
    trace.events.push_back(read_slice(event, microseconds_per_unit(trace.unit)));
    if (!ranks_known) trace.ranks = std::max(trace.ranks, trace.events.back().rank + 1);
    event.at("pid").wants(trace.events.back().rank < trace.ranks, "a rank of the trace");
  }
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
  std::set<std::pair<int, std::size_t>> named;
  for (const Event& e : trace.events) {
    if (lane_of(e) > 0 && named.emplace(e.rank, lane_of(e)).second) {
      events.push_back(metadata("thread_name", e.rank, {{"name", engine_lanes[lane_of(e)]}}));
      events.back()["tid"] = lane_of(e);
    }
    events.push_back(slice(e, microseconds_per_unit(trace.unit)));
  }
  const Json document = {{"displayTimeUnit", "ms"},
                         {"traceEvents", std::move(events)},
                         {"otherData", notes(trace)},
                         {"kallima", own_member(trace)}};
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Trace trace_from_perfetto_json(const std::string& text) {
  const nlohmann::json document = parse_json("trace", text);
  const Located top{document, "trace"};
  Trace trace;
  if (top.has("kallima")) read_own_member(top.at("kallima"), trace);
  read_events(top.at("traceEvents"), trace, top.has("kallima"));
  return trace;
}

}  // namespace kallima
