// A Trace from what to_perfetto_json wrote. Slices become events; messages and names of processes are left alone,
// because they follow from the events and from the member `kallima`. A file without that member is taken to be in
// seconds. Whatever is not as expected is an error that names the place, such as traceEvents[7].args.kind.

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "schedule/names.hpp"
#include "trace/moments.hpp"

namespace kallima {
namespace {

using nlohmann::json;

constexpr int max_ranks = 1 << 24;  // more would be a damaged file

// A value of the file and the way to it.
struct Located {
  const json& value;
  std::string path;

  void wants(bool holds, const char* wanted) const {
    require(holds, "bad trace at {} (expected {}, found {}) give a file that kallima wrote", path, wanted,
            value.is_structured() ? std::string(value.type_name())
                                  : value.dump(-1, ' ', true, json::error_handler_t::replace));
  }
  bool has(const char* member) const { return value.is_object() && value.contains(member); }
  Located at(const char* member) const {
    wants(value.is_object(), "an object");
    require(value.contains(member), "bad trace at {} (there is no member {}) give a file that kallima wrote", path,
            member);
    return {value[member], path == "the top" ? member : fmt::format("{}.{}", path, member)};
  }
  Located at(std::size_t i) const { return {value[i], fmt::format("{}[{}]", path, i)}; }
  std::size_t items() const {
    wants(value.is_array(), "an array");
    return value.size();
  }
};

std::string string(const Located& place) {
  place.wants(place.value.is_string(), "a string");
  return place.value.get<std::string>();
}

double number(const Located& place) {
  place.wants(place.value.is_number() && std::isfinite(place.value.get<double>()), "a number");
  return place.value.get<double>();
}

template <class Int>
Int whole(const Located& place, Int least, Int most = std::numeric_limits<Int>::max()) {
  const json& v = place.value;
  const bool fits =
      v.is_number_integer() &&
      (!v.is_number_unsigned() || v.get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<Index>::max()});
  place.wants(fits && v.get<Index>() >= least && v.get<Index>() <= most, "a whole number in its range");
  return v.get<Int>();
}

TaskKind kind(const Located& place) {
  const std::string wanted = string(place);
  if (const auto found = enum_named<TaskKind>(wanted)) return *found;
  fail("bad trace at {} ('{}' is no kind of task) give a file that kallima wrote", place.path, wanted);
}

// Of a part of an event, in the file's microseconds.
double duration(const Located& place) {
  place.wants(number(place) >= 0, "a length of at least 0");
  return number(place);
}

void read_arguments(const Located& args, double tick, Event& e) {
  constexpr std::pair<const char*, int Event::*> optional[] = {
      {"peer", &Event::peer}, {"start", &Event::start}, {"tag", &Event::tag}, {"polls", &Event::polls}};
  e.task = whole(args.at("task"), 0);
  e.kind = kind(args.at("kind"));
  e.chunk = whole(args.at("chunk"), std::numeric_limits<int>::min());
  e.elements = whole(args.at("elements"), Index{0});
  for (const auto& [member, value] : optional)
    if (args.has(member)) e.*value = whole(args.at(member), 0);
  if (args.has("polling")) e.polling = duration(args.at("polling")) / tick;
  if (args.has("longestGap")) e.longest_gap = duration(args.at("longestGap")) / tick;
  if (e.label == name(e.kind)) e.label.clear();  // the writer's stand-in for no label
}

Event read_slice(const Located& slice, double tick) {
  Event e{.rank = whole(slice.at("pid"), 0, max_ranks - 1), .label = string(slice.at("name"))};
  e.begin = number(slice.at("ts")) / tick;
  e.end = e.begin + duration(slice.at("dur")) / tick;
  if (slice.has("args"))
    read_arguments(slice.at("args"), tick, e);
  else if (string(slice.at("cat")) == "waiting")
    e.label.clear();
  else
    slice.at("args");  // says that it is missing
  return e;
}

Flight read_flight(const Located& row, int ranks) {
  row.wants(row.items() == 7, "an array of 7 numbers");
  const auto rank = [&](std::size_t i) { return whole(row.at(i), 0, ranks - 1); };
  return {.from = rank(0),
          .to = rank(1),
          .words = whole(row.at(2), Index{0}),
          .sent = number(row.at(3)),
          .departed = number(row.at(4)),
          .arrived = number(row.at(5)),
          .taken = number(row.at(6))};
}

// Files of before there were settings have none.
void read_own_member(const Located& own, Trace& trace) {
  trace.ranks = whole(own.at("ranks"), 0, max_ranks);
  trace.unit = string(own.at("unit"));
  trace.title = string(own.at("title"));
  if (own.has("elementBytes")) trace.element_bytes = whole(own.at("elementBytes"), Index{0});
  for (std::size_t i = 0; own.has("settings") && i < own.at("settings").items(); ++i) {
    const Located pair = own.at("settings").at(i);
    pair.wants(pair.items() == 2, "a name and a value");
    trace.settings.emplace_back(string(pair.at(std::size_t{0})), string(pair.at(std::size_t{1})));
  }
  const Located flights = own.at("flights");
  for (std::size_t i = 0; i < flights.items(); ++i) trace.flights.push_back(read_flight(flights.at(i), trace.ranks));
}

void read_events(const Located& events, Trace& trace, bool ranks_known) {
  for (std::size_t i = 0; i < events.items(); ++i) {
    const Located event = events.at(i);
    if (string(event.at("ph")) != "X") continue;
    trace.events.push_back(read_slice(event, microseconds_per_unit(trace.unit)));
    if (!ranks_known) trace.ranks = std::max(trace.ranks, trace.events.back().rank + 1);
    event.at("pid").wants(trace.events.back().rank < trace.ranks, "a rank of the trace");
  }
}

json parse(const std::string& text) {
  try {
    return json::parse(text);
  } catch (const json::exception& e) {
    fail("the trace is not JSON ({}) give a file that kallima wrote", e.what());
  }
}

}  // namespace

Trace trace_from_perfetto_json(const std::string& text) {
  const json document = parse(text);
  const Located top{document, "the top"};
  Trace trace;
  if (top.has("kallima")) read_own_member(top.at("kallima"), trace);
  read_events(top.at("traceEvents"), trace, top.has("kallima"));
  return trace;
}

}  // namespace kallima
