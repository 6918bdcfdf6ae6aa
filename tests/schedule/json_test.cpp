// Schedules survive the way through JSON unchanged; files that are not schedules are refused with the place named.

#include <limits>
#include <nlohmann/json.hpp>

#include "examples.hpp"
#include "kallima/outline.hpp"

namespace kallima {
namespace {

using namespace examples;
using nlohmann::json;

// Every member away from its default.
Schedule unusual() {
  const auto one = [](Index offset, Index first) {
    return Piece{.offset = offset, .first = first, .count = 1, .every = 2, .stride = -9, .strides = {2, 7}};
  };
  const Pass pass{.action = Action::move,
                  .length = 2,
                  .sources = {one(1, 0), one(0, 1)},
                  .targets = {piece(Buffer::work, 1, 2, -1, {2, std::numeric_limits<Index>::max()})},
                  .loops = {1},
                  .twiddle = {.modulus = 64, .shift = 5, .step = 6, .loop = 0},
                  .scaled = true,
                  .conjugated = true,
                  .reversed = true};
  Schedule s = exchange();
  s.name = "odd one";
  s.direction = Direction::backward;
  s.exchanges = 3;
  Task& task = s.ranks[0].tasks[1];
  task.label = "phase \"II\" \n\xC3\xA9";
  task.chunk = 2;
  task.flops = 0.1;
  task.elements = 77;
  task.steps = {{.repeat = 2, .body = {{.pass = pass}}}};
  return s;
}

TEST(ScheduleJson, schedules_round_trip) {
  for (const Schedule& s : {unusual(), exchange(), exchange(false), single({})}) {
    EXPECT_EQ(schedule_from_json(to_json(s)), s) << to_json(s);
    if (s != single({})) expect_valid(s);
  }
}

TEST(ScheduleJson, all_kinds_and_buffers_round_trip) {
  Schedule s = exchange();
  for (const TaskKind kind : {TaskKind::compute, TaskKind::copy})
    for (const Buffer b : buffers) s.ranks[0].tasks.push_back({.kind = kind, .range = {b, 0, 0}});
  EXPECT_EQ(schedule_from_json(to_json(s)), s);
}

TEST(ScheduleJson, all_actions_round_trip) {
  Schedule s = single({});
  const std::vector<Piece> place{piece(Buffer::work, 0, 1)};
  for (const Action action : {Action::transform, Action::move, Action::sum, Action::apply})
    s.ranks[0].tasks.push_back(
        {.steps = {{.pass = {.action = action, .sources = place, .targets = place, .reversed = true}}}});
  EXPECT_EQ(schedule_from_json(to_json(s)), s);
  EXPECT_NE(text(s).find("sum 1"), std::string::npos);
  EXPECT_NE(text(s).find("apply 1, reversed"), std::string::npos);
}

TEST(ScheduleJson, missing_members_keep_their_defaults) {
  const Schedule least{.name = {}, .ranks = {{}}};
  EXPECT_EQ(schedule_from_json(R"({"ranks": [{}]})"), least);
  EXPECT_EQ(schedule_from_json(R"({"ranks": [{"tasks": [{}]}]})").ranks.at(0).tasks.at(0), Task{});
}

// The example with one place changed; the pointer is in JSON's own notation.
std::string error_with(const std::string& pointer, const json& value) {
  json changed = json::parse(to_json(unusual()));
  changed[json::json_pointer(pointer)] = value;
  return error_of([&] { schedule_from_json(changed.dump()); });
}

TEST(ScheduleJson, unknown_words_are_refused_with_their_place_and_the_known_ones) {
  const std::string error = error_with("/ranks/0/tasks/1/kind", "sleep");
  for (const char* part : {"ranks[0].tasks[1].kind", "\"sleep\"", "recv_finish"})
    EXPECT_NE(error.find(part), std::string::npos) << error;
  EXPECT_NE(error_with("/direction", "sideways").find("forward, backward"), std::string::npos);
  EXPECT_NE(error_with("/ranks/0/tasks/0/range/buffer", "box").find("range.buffer"), std::string::npos);
}

TEST(ScheduleJson, wrong_types_are_refused_with_their_place) {
  EXPECT_NE(error_with("/name", 3).find("name (expected a string, found number"), std::string::npos);
  EXPECT_NE(error_with("/exchanges", 1.5).find("exchanges (expected a whole number"), std::string::npos);
  EXPECT_NE(error_with("/ranks", json::object()).find("ranks (expected an array"), std::string::npos);
  EXPECT_NE(error_with("/ranks/1", 4).find("ranks[1] (expected an object"), std::string::npos);
  EXPECT_NE(error_with("/ranks/0/sizes", json::array()).find("ranks[0].sizes"), std::string::npos);
  EXPECT_NE(error_with("/ranks/0/tasks/0/flops", "many").find("flops (expected a number"), std::string::npos);
  EXPECT_NE(error_with("/ranks/0/tasks/1/steps/0/body/0/pass/scaled", 1).find("body[0].pass.scaled"),
            std::string::npos);
  EXPECT_NE(error_with("/direction", nullptr).find("direction (expected a word, found null"), std::string::npos);
}

TEST(ScheduleJson, numbers_that_do_not_fit_are_refused) {
  EXPECT_NE(error_with("/exchanges", Index{1} << 40).find("32 bits"), std::string::npos);
  EXPECT_NE(error_with("/ranks/0/sizes/in", std::numeric_limits<std::uint64_t>::max()).find("64 bits"),
            std::string::npos);
}

TEST(ScheduleJson, unknown_members_are_refused) {
  EXPECT_NE(error_with("/ranks/0/tasks/0/afther", 1).find("ranks[0].tasks[0].afther"), std::string::npos);
  EXPECT_NE(error_with("/ranks/0/sizes/outbox", 1).find("ranks[0].sizes.outbox"), std::string::npos);
}

// Whoever reads a schedule follows its numbers without another look.
TEST(ScheduleJson, numbers_that_lead_nowhere_are_refused) {
  const std::vector<std::pair<std::string, json>> changes{
      {"/ranks/0/rank", 1},
      {"/ranks/0/sizes/in", -1},
      {"/ranks/0/padding_out", 5},
      {"/ranks/0/tasks/4/after", {1000000}},
      {"/ranks/0/tasks/4/after", {-3}},
      {"/ranks/0/tasks/4/after", {4}},
      {"/ranks/0/tasks/3/start", 1000000},
      {"/ranks/0/tasks/3/start", -1},
      {"/ranks/0/tasks/3/start", 1},
      {"/ranks/0/tasks/2/peer", 2},
      {"/ranks/0/tasks/2/peer", -1},
      {"/ranks/0/tasks/2/tag", 1},
      {"/ranks/0/tasks/2/range/offset", 1},
      {"/ranks/0/tasks/2/range/count", Index{1} << 62},
      {"/ranks/0/tasks/2/elements", 3},
      {"/ranks/0/tasks/1/elements", std::numeric_limits<Index>::max()},
      {"/ranks/0/tasks/4/steps/0/pass/sources/1/recv", 1000000},
      {"/ranks/0/tasks/4/steps/0/pass/sources/1/recv", 0},
      {"/ranks/0/tasks/4/steps/0/pass/sources/0/offset", 3},
      {"/ranks/0/tasks/4/steps/0/pass/sources/0/strides", {1}},
      {"/ranks/0/tasks/4/steps/0/pass/targets/0/offset", -1},
      {"/ranks/0/tasks/4/steps/0/pass/length", Index{1} << 61},
      {"/ranks/0/tasks/4/steps/0/pass/twiddle/loop", 0},
      {"/ranks", json::array()}};
  for (const auto& [pointer, value] : changes) {
    json changed = json::parse(to_json(exchange()));
    changed[json::json_pointer(pointer)] = value;
    EXPECT_THROW(schedule_from_json(changed.dump()), Error) << pointer << " " << value;
  }
}

TEST(ScheduleJson, ranks_that_wait_for_each_other_are_refused) {
  Schedule s = exchange();
  for (RankSchedule& rank : s.ranks) rank.tasks[4].after.clear();
  for (RankSchedule& rank : s.ranks) std::swap(rank.tasks[2], rank.tasks[3]);
  for (RankSchedule& rank : s.ranks) rank.tasks[3].after = {2};
  for (RankSchedule& rank : s.ranks) rank.tasks[5].start = 3;
  for (RankSchedule& rank : s.ranks) rank.tasks[4].steps[0].pass.sources[1].recv = 2;
  EXPECT_NE(error_of([&] { schedule_from_json(to_json(s)); }).find("waits for the first"), std::string::npos);
}

// Lines that no memory could hold are compared as progressions.
TEST(ScheduleJson, a_line_of_many_elements_is_checked_without_room_for_them) {
  constexpr Index half = Index{1} << 50;
  const auto interleaved = [](Buffer buffer) {
    return std::vector<Piece>{{.buffer = buffer, .count = half, .every = 2, .stride = 2},
                              {.buffer = buffer, .offset = 1, .first = 1, .count = half, .every = 2, .stride = 2}};
  };
  Pass pass{.length = 2 * half, .sources = interleaved(Buffer::in), .targets = interleaved(Buffer::out)};
  const Schedule s = single({compute({pass})}, 2 * half);
  EXPECT_EQ(schedule_from_json(to_json(s)), s);
  pass.targets[1].first = 0;
  const std::string error = error_of([&] { schedule_from_json(to_json(single({compute({pass})}, 2 * half))); });
  EXPECT_NE(error.find("target 1 covers line element 0 again"), std::string::npos) << error;
}

TEST(Outline, of_a_schedule_whose_numbers_lead_nowhere_is_refused) {
  Schedule s = exchange();
  s.ranks[1].tasks[4].after = {1000000};
  EXPECT_NE(error_of([&] { outline(s); }).find("task 1000000"), std::string::npos);
}

TEST(ScheduleJson, text_that_is_not_json_is_refused) {
  for (const char* text : {"", "{", "[", "schedule", "{\"name\": }", "\xff"})
    EXPECT_NE(error_of([&] { schedule_from_json(text); }).find("is not JSON"), std::string::npos) << text;
  for (const char* text : {"[]", "null", "3", "\"x\""})
    EXPECT_NE(error_of([&] { schedule_from_json(text); }).find("the top"), std::string::npos) << text;
}

TEST(ScheduleJson, steps_nested_without_end_are_refused) {
  std::string text = "{}";
  for (int i = 0; i < 5000; ++i) text = R"({"body": [)" + text + "]}";
  text = R"({"ranks": [{"tasks": [{"steps": [)" + text + "]}]}]}";
  EXPECT_NE(error_of([&] { schedule_from_json(text); }).find("deep"), std::string::npos);
}

TEST(ScheduleJson, labels_that_are_not_utf8_are_refused) {
  Schedule s = single({{.label = "\xff"}});
  EXPECT_NE(error_of([&] { to_json(s); }).find("UTF-8"), std::string::npos);
}

}  // namespace
}  // namespace kallima
