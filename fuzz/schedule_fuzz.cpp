// Whatever text comes in, it is refused by an Error or becomes a schedule that can be written, outlined, priced and
// drawn, whether or not the proof of what it does to memory, tried where it is short, succeeds.

#include "fuzz/fuzz.hpp"
#include "kallima/draw.hpp"
#include "kallima/plan.hpp"
#include "kallima/schedule.hpp"
#include "kallima/simulate.hpp"

namespace kallima::fuzz {
namespace {

constexpr Index few_elements = 2000;

bool is_small(const Schedule& schedule) {
  double elements = 0;
  for (const RankSchedule& r : schedule.ranks)
    for (const Index size : r.sizes) elements += static_cast<double>(size);
  return elements <= few_elements;
}

void check_schedule(const Schedule& schedule) {
  must(schedule_from_json(to_json(schedule)) == schedule, "it reads back the same");
  must(!text(schedule).empty(), "it can be described");
  for (const Machine& machine :
       {Machine(Logp{.L = 5, .o = 1, .g = 2}), Machine(Bsp{.g = 2, .l = 10}), Machine(AlphaBeta{})})
    (void)accepted([&] {
      const Trace trace = simulate(schedule, machine, {.pricing = Pricing::all_ranks, .trace = true}).trace;
      must(!draw_text(trace).empty() && !draw_gantt(std::span(&trace, 1)).empty(), "it can be drawn");
    });
  if (is_small(schedule))
    for (const Aliasing aliasing : {Aliasing::separate, Aliasing::in_is_out})
      (void)accepted([&] { validate(schedule, aliasing); });
}

std::string planned(const Problem& problem, int ranks, Direction direction, const std::string& route = "auto") {
  const auto made = plan(problem, ranks, {.route = route});
  Schedule schedule = made->schedule(direction);
  if (problem.data == Data::complex_)
    schedule.purpose = Purpose{.shape_in = problem.shape,
                               .shape_out = problem.shape,
                               .layout_in = layout_to_text(made->layout_in()),
                               .layout_out = layout_to_text(made->layout_out())};
  return to_json(schedule);
}

}  // namespace

void check(const std::string& input) {
  Schedule schedule;
  if (accepted([&] { schedule = schedule_from_json(input); })) check_schedule(schedule);
}

std::vector<std::string> seeds() {
  return {planned({.shape = {4}}, 1, Direction::forward),
          planned({.shape = {4}}, 2, Direction::forward),
          planned({.shape = {4, 6}}, 2, Direction::backward),
          planned({.shape = {4}, .data = Data::real_}, 1, Direction::forward),
          planned({.shape = {3}}, 2, Direction::backward, "bluestein"),
          planned({.shape = {2}, .data = Data::real_}, 2, Direction::backward, "bluestein")};
}

std::vector<std::string> words() {
  return {
      "\"in\"",         "\"out\"",         "\"work\"",       "\"inbox\"",       "\"transform\"",  "\"move\"",
      "\"sum\"",        "\"apply\"",       "\"encode\"",     "\"decode\"",      "\"compute\"",    "\"copy\"",
      "\"send_start\"", "\"send_finish\"", "\"recv_start\"", "\"recv_finish\"", "\"real\": true", "\"real_to_half\"",
      "\"recv\": 3",    "\"after\": [0]",  "\"repeat\": 2,", "\"body\": [{}]",  "\"pencil\"",     "\xff"};
}

}  // namespace kallima::fuzz
