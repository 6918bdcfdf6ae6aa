// Schedules survive the way through JSON unchanged; files that are not schedules are refused with the place named.

#include <limits>
#include <nlohmann/json.hpp>

#include "examples.hpp"

namespace kallima {
namespace {

using namespace examples;
using nlohmann::json;

// Every member away from its default.
Schedule unusual() {
  const Piece piece{.buffer = Buffer::inbox,
                    .recv = 3,
                    .offset = -5,
                    .first = 1,
                    .count = 7,
                    .every = 2,
                    .stride = -9,
                    .strides = {1, -2, std::numeric_limits<Index>::max()}};
  const Pass pass{.action = Action::move,
                  .length = 12,
                  .sources = {piece, {}},
                  .targets = {piece},
                  .loops = {3, 4},
                  .twiddle = {.modulus = 64, .shift = 5, .step = 6, .loop = 1},
                  .scaled = true};
  const Task task{.kind = TaskKind::recv_finish,
                  .label = "phase \"II\" \n\xC3\xA9",
                  .chunk = 2,
                  .peer = 1,
                  .tag = 4,
                  .range = {Buffer::out, 8, 9},
                  .start = 5,
                  .after = {0, 3},
                  .steps = {{.repeat = 6, .body = {{.pass = pass}, {.repeat = 2, .body = {{}}}}}, {}},
                  .flops = 0.1,
                  .elements = 77};
  return {.name = "odd one",
          .direction = Direction::backward,
          .exchanges = 3,
          .ranks = {{.rank = 1, .sizes = {1, 2, 3, 4}, .tasks = {task, {}}}, {}}};
}

TEST(ScheduleJson, schedules_round_trip) {
  for (const Schedule& s : {unusual(), exchange(), exchange(false), Schedule{}, single({})})
    EXPECT_EQ(schedule_from_json(to_json(s)), s) << to_json(s);
}

TEST(ScheduleJson, all_kinds_and_buffers_round_trip) {
  Schedule s = single({});
  for (int kind = 0; kind < 6; ++kind)
    for (const Buffer b : buffers)
      s.ranks[0].tasks.push_back({.kind = static_cast<TaskKind>(kind), .range = {b, 0, 0}});
  EXPECT_EQ(schedule_from_json(to_json(s)), s);
}

TEST(ScheduleJson, all_actions_round_trip) {
  Schedule s = single({});
  for (const Action action : {Action::transform, Action::move, Action::sum, Action::apply})
    s.ranks[0].tasks.push_back({.steps = {{.pass = {.action = action, .reversed = true}}}});
  EXPECT_EQ(schedule_from_json(to_json(s)), s);
  EXPECT_NE(text(s).find("sum 1"), std::string::npos);
  EXPECT_NE(text(s).find("apply 1, reversed"), std::string::npos);
}

TEST(ScheduleJson, missing_members_keep_their_defaults) {
  EXPECT_EQ(schedule_from_json("{}"), Schedule{});
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
  EXPECT_NE(error_with("/ranks/0/tasks/0/steps/1/pass/scaled", 1).find("steps[1].pass.scaled"), std::string::npos);
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
