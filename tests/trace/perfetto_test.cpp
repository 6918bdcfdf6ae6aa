// Traces written for Perfetto and read back: nothing that matters is lost, and damage is reported with its place.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kallima/trace.hpp"

namespace kallima {
namespace {

Event event(int rank, int task, TaskKind kind, const std::string& label, double begin, double end) {
  return {.rank = rank, .task = task, .kind = kind, .label = label, .begin = begin, .end = end, .elements = 3};
}

Trace measured() {
  Trace trace{
      .ranks = 3,
      .events = {event(0, 0, TaskKind::compute, "phase I", 0, 0.25), event(0, 1, TaskKind::send_start, "", 0.25, 0.375),
                 event(0, -1, TaskKind::compute, "", 0.375, 0.5), event(0, 2, TaskKind::send_finish, "", 0.5, 0.5),
                 event(1, 0, TaskKind::copy, "pack \"it\"", 0.125, 1)}};
  trace.events[1].peer = 1;
  trace.events[3].start = 1;
  trace.events[1].chunk = 2;
  trace.events[1].tag = 5;
  trace.events[0].polls = 3;
  trace.events[0].polling = 0.0625;
  trace.events[0].longest_gap = 0.125;
  trace.settings = {{"route", "cyclic"}, {"title", "not the trace's"}, {"a \"word\"", ""}};
  trace.element_bytes = 8;
  return trace;
}

Trace simulated() {
  Trace trace = measured();
  trace.unit = "node";
  trace.title = "output-driven, P = 3";
  trace.flights = {{.from = 0, .to = 1, .words = 2, .sent = 0.25, .departed = 1.25, .arrived = 5, .taken = 5.5},
                   {.from = 2, .to = 0, .words = 1, .sent = 1, .departed = 2, .arrived = 6, .taken = 7}};
  return trace;
}

void expect_same(const Trace& a, const Trace& b) {
  EXPECT_EQ(a.ranks, b.ranks);
  EXPECT_EQ(a.unit, b.unit);
  EXPECT_EQ(a.title, b.title);
  EXPECT_EQ(a.settings, b.settings);
  EXPECT_EQ(a.element_bytes, b.element_bytes);
  ASSERT_EQ(a.events.size(), b.events.size());
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    const Event &x = a.events[i], &y = b.events[i];
    EXPECT_EQ(std::tie(x.rank, x.task, x.kind, x.label, x.chunk, x.peer, x.start),
              std::tie(y.rank, y.task, y.kind, y.label, y.chunk, y.peer, y.start));
    EXPECT_EQ(std::tie(x.tag, x.polls), std::tie(y.tag, y.polls));
    EXPECT_DOUBLE_EQ(x.polling, y.polling);
    EXPECT_DOUBLE_EQ(x.longest_gap, y.longest_gap);
    EXPECT_DOUBLE_EQ(x.begin, y.begin);
    EXPECT_DOUBLE_EQ(x.end, y.end);
  }
  ASSERT_EQ(a.flights.size(), b.flights.size());
  for (std::size_t i = 0; i < a.flights.size(); ++i) {
    const Flight &x = a.flights[i], &y = b.flights[i];
    EXPECT_EQ(std::tie(x.from, x.to, x.words, x.sent, x.departed, x.arrived, x.taken),
              std::tie(y.from, y.to, y.words, y.sent, y.departed, y.arrived, y.taken));
  }
}

std::string complaint(const std::string& text) {
  try {
    trace_from_perfetto_json(text);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

// What is said when one value of a good file is replaced.
std::string complaint(const std::string& pointer, const nlohmann::json& value) {
  auto json = nlohmann::json::parse(to_perfetto_json(simulated()));
  json[nlohmann::json::json_pointer(pointer)] = value;
  return complaint(json.dump());
}

std::size_t first_slice() {
  const auto json = nlohmann::json::parse(to_perfetto_json(simulated()));
  const auto& events = json.at("traceEvents");
  for (std::size_t i = 0; i < events.size(); ++i)
    if (events[i].at("ph") == "X") return i;
  return 0;
}

TEST(PerfettoRead, a_trace_comes_back_as_it_was) {
  expect_same(trace_from_perfetto_json(to_perfetto_json(measured())), measured());
  expect_same(trace_from_perfetto_json(to_perfetto_json(simulated())), simulated());
  expect_same(trace_from_perfetto_json(to_perfetto_json({})), {});
}

TEST(PerfettoRead, a_node_is_shown_as_a_microsecond) {
  const auto json = nlohmann::json::parse(to_perfetto_json(simulated()));
  EXPECT_EQ(json.at("traceEvents")[first_slice()].at("dur"), 0.25);
  EXPECT_EQ(json.at("otherData").at("time"), "1 us stands for 1 node");
}

TEST(PerfettoRead, settings_are_there_for_people_and_take_nobodys_place) {
  const auto json = nlohmann::json::parse(to_perfetto_json(simulated()));
  EXPECT_EQ(json.at("otherData").at("route"), "cyclic");
  EXPECT_EQ(json.at("otherData").at("title"), "output-driven, P = 3");
  auto old = json;
  old["kallima"].erase("settings");
  EXPECT_TRUE(trace_from_perfetto_json(old.dump()).settings.empty());
  EXPECT_NE(complaint("/kallima/settings/0", nlohmann::json::array({"alone"})).find("a name and a value"),
            std::string::npos);
}

TEST(PerfettoRead, copies_between_host_and_device_have_lanes_of_their_own) {
  Trace trace{.ranks = 1,
              .events = {event(0, 0, TaskKind::copy, "to device", 0, 1), event(0, 1, TaskKind::compute, "planes", 1, 2),
                         event(0, 2, TaskKind::copy, "from device", 1, 3), event(0, 3, TaskKind::copy, "pack", 3, 4)}};
  const auto json = nlohmann::json::parse(to_perfetto_json(trace));
  std::vector<int> lanes, named;
  for (const auto& e : json.at("traceEvents")) {
    if (e.at("ph") == "X") lanes.push_back(e.at("tid"));
    if (e.at("name") == "thread_name") named.push_back(e.at("tid"));
  }
  EXPECT_EQ(lanes, (std::vector<int>{1, 0, 2, 0}));
  EXPECT_EQ(named, (std::vector<int>{0, 1, 2}));
}

TEST(PerfettoRead, our_own_member_comes_last) {  // Perfetto stops at members it does not know
  const std::string text = to_perfetto_json(simulated());
  EXPECT_LT(text.find("\"traceEvents\""), text.find("\"otherData\""));
  EXPECT_LT(text.find("\"otherData\""), text.find("\"kallima\":{"));
}

TEST(PerfettoRead, a_file_without_our_member_is_in_seconds) {
  auto json = nlohmann::json::parse(to_perfetto_json(measured()));
  json.erase("kallima");
  Trace expected = measured();
  expected.ranks = 2;  // all that shows in the slices
  expected.settings.clear();
  expected.element_bytes = 0;
  expect_same(trace_from_perfetto_json(json.dump()), expected);
}

TEST(PerfettoRead, damage_is_reported_with_its_place) {
  const std::string slice = "/traceEvents/" + std::to_string(first_slice());
  const std::string named = "traceEvents[" + std::to_string(first_slice()) + "]";
  EXPECT_NE(complaint(slice + "/ts", "soon").find(named + ".ts"), std::string::npos);
  EXPECT_NE(complaint(slice + "/dur", -1).find(named + ".dur"), std::string::npos);
  for (const double time : {1e101, -1e300})
    EXPECT_NE(complaint(slice + "/ts", time).find(named + ".ts"), std::string::npos);
  EXPECT_NE(complaint(slice + "/dur", 1e300).find(named + ".dur"), std::string::npos);
  EXPECT_NE(complaint("/kallima/flights/0/5", 1e300).find("kallima.flights[0][5]"), std::string::npos);
  EXPECT_NE(complaint(slice + "/pid", 99).find(named + ".pid"), std::string::npos);
  EXPECT_NE(complaint(slice + "/args/kind", "nap").find("\"nap\" is no kind of task"), std::string::npos);
  EXPECT_NE(complaint(slice + "/args", nlohmann::json::object()).find("no member task"), std::string::npos);
  EXPECT_NE(complaint("/kallima/flights/1/0", 3).find("kallima.flights[1][0]"), std::string::npos);
  EXPECT_NE(complaint("/kallima/ranks", 1e300).find("kallima.ranks"), std::string::npos);
}

TEST(PerfettoRead, what_is_no_trace_at_all_is_refused) {
  EXPECT_NE(complaint("{\"traceEvents\": [").find("not JSON"), std::string::npos);
  EXPECT_NE(complaint("[]").find("expected an object"), std::string::npos);
  EXPECT_NE(complaint("{}").find("no member traceEvents"), std::string::npos);
  EXPECT_NE(complaint("{\"traceEvents\": 7}").find("expected an array"), std::string::npos);
}

TEST(PerfettoRead, any_cut_of_a_file_is_refused_and_not_believed) {
  const std::string text = to_perfetto_json(simulated());
  for (std::size_t length = 0; length + 2 < text.size(); length += 7) EXPECT_NE(complaint(text.substr(0, length)), "");
}

TEST(Trace, a_simulated_rank_waits_whenever_it_does_nothing) {
  const Trace trace{
      .ranks = 2,
      .unit = "node",
      .events = {event(0, 0, TaskKind::compute, "phase I", 0, 4), event(0, 1, TaskKind::compute, "phase II", 7, 10),
                 event(1, 0, TaskKind::compute, "phase I", 0, 3)},
      .flights = {{.from = 1, .to = 0, .words = 1, .sent = 3, .departed = 4, .arrived = 7, .taken = 7}}};
  const RankTimes times = rank_times(trace, 0);
  EXPECT_DOUBLE_EQ(times.waiting, 3);
  EXPECT_DOUBLE_EQ(times.communication, 4);
  EXPECT_DOUBLE_EQ(times.hidden_share, 0.25);
  EXPECT_DOUBLE_EQ(rank_times(trace, 1).waiting, 7);
}

}  // namespace
}  // namespace kallima
