// Timelines as SVG: the words tell the truth about the traces, and no trace makes a broken or a huge file.

#include <gtest/gtest.h>

#include <random>

#include "draw/timelines.hpp"
#include "kallima/draw.hpp"
#include "sample_traces.hpp"
#include "well_formed.hpp"

namespace kallima {
namespace {

std::vector<Trace> both(const SampleMachine& machine = {}) {
  return {SampleTrace(machine, "simple, P = 4").simple(), SampleTrace(machine, "output-driven, P = 4").output_driven()};
}

void expect_words(const std::string& svg, const std::vector<std::string>& all) {
  for (const std::string& words : all) EXPECT_NE(svg.find(words), std::string::npos) << words;
}

TEST(Timelines, sending_is_hidden_exactly_while_the_processor_computes) {
  const Trace trace{.ranks = 1,
                    .unit = "node",
                    .events = {{.task = 0, .label = "phase I", .begin = 0, .end = 4},
                               {.task = 1, .label = "phase I", .begin = 4, .end = 6},
                               {.task = 2, .label = "phase II", .begin = 8, .end = 10}},
                    .flights = {{0, 1, 1, 3, 9, 9, 9}}};
  const Timelines timelines = timelines_of(trace, {"phase I", "phase II"});
  ASSERT_EQ(timelines.all.size(), 1u);
  EXPECT_EQ(timelines.all[0].work, (std::vector<Segment>{{0, 6, 0}, {8, 10, 1}}));
  EXPECT_EQ(timelines.all[0].sending,
            (std::vector<Segment>{{3, 6, hidden_sending}, {6, 8, exposed_sending}, {8, 9, hidden_sending}}));
  EXPECT_DOUBLE_EQ(timelines.computing, 0.8);
  EXPECT_DOUBLE_EQ(timelines.idle(), 0.2);
  EXPECT_DOUBLE_EQ(timelines.hidden / timelines.sent, 4.0 / 6);
}

TEST(Timelines, traces_without_flights_pair_their_events_and_waiting_is_idle) {
  const Trace trace{
      .ranks = 1,
      .events = {{.task = 0, .kind = TaskKind::send_start, .label = "x", .peer = 1, .begin = 5, .end = 6},
                 {.task = -1, .label = "", .begin = 6, .end = 8},
                 {.task = 1, .kind = TaskKind::send_finish, .label = "x", .begin = 8, .end = 9, .start = 0}}};
  const Timelines timelines = timelines_of(trace, {});
  EXPECT_EQ(timelines.all[0].work, (std::vector<Segment>{{0, 1, overhead}, {3, 4, overhead}}));
  EXPECT_EQ(timelines.all[0].sending, (std::vector<Segment>{{0, 4, exposed_sending}}));
  EXPECT_DOUBLE_EQ(timelines.idle(), 0.5);
}

TEST(Timelines, coarsening_keeps_the_share_of_every_kind) {
  std::mt19937 random(3);
  std::vector<Segment> fine;
  for (double at = 0; at < 1000;) {
    const double begin = at + 0.001 * static_cast<double>(random() % 100),
                 end = begin + 0.001 * static_cast<double>(1 + random() % 200);
    fine.push_back({begin, end, static_cast<int>(random() % 3) - 1});
    at = end;
  }
  const std::vector<Segment> coarse = coarsened(fine, 1);
  EXPECT_LE(coarse.size(), 1001u);
  for (const int what : {-1, 0, 1}) EXPECT_NEAR(total(coarse, what), total(fine, what), 2);
  for (const Segment& s : coarse) EXPECT_GE(s.end - s.begin, 1 - 1e-9);
}

TEST(Timelines, coarsening_moves_long_stretches_by_less_than_a_grain) {
  const std::vector<Segment> coarse = coarsened({{0.3, 10.2, 0}, {10.2, 20, 1}, {30, 40, 1}}, 1);
  ASSERT_EQ(coarse.size(), 3u);
  EXPECT_NEAR(coarse[0].end, 10.2, 1);
  EXPECT_NEAR(coarse[2].begin, 30, 1);
}

TEST(Gantt, words_say_who_is_faster_and_how_time_was_spent) {
  const std::string svg = draw_gantt(both(), {.title = "A <comparison>"});
  EXPECT_EQ(xml_problem(svg), "");
  expect_words(svg, {"output-driven finishes 208 nodes (29 %) earlier than simple", "computing 71 %, idle 29 %; 0 % of",
                     "computing 100 %, idle 0 %; 100 % of the communication hidden", ">720 nodes<", ">512 nodes<",
                     "208 nodes less", "time in butterfly nodes", "A &lt;comparison&gt;", ">idle<", ">rank 3<"});
}

TEST(Gantt, slower_equal_and_nameless_traces_are_told_too) {
  const std::vector<Trace> traces = both();
  expect_words(draw_gantt(std::vector<Trace>{traces[1], traces[0]}), {"simple finishes 208 nodes (41 %) later"});
  expect_words(draw_gantt(std::vector<Trace>{{}, {}}), {"trace 2 and trace 1 finish at the same time"});
}

TEST(Gantt, traces_that_share_a_name_are_compared_by_their_whole_titles) {
  std::vector<Trace> traces = both();
  traces[0].title = "simple, g = 1";
  traces[1].title = "simple, g = 2";
  expect_words(draw_gantt(traces), {"simple, g = 2 finishes 208 nodes (29 %) earlier than simple, g = 1"});
}

TEST(Gantt, stages_keep_their_colours_across_panels) {
  std::vector<Trace> traces = both();
  std::erase_if(traces[1].events, [](const Event& e) { return e.label == "phase I"; });
  const std::string svg = draw_gantt(traces);
  EXPECT_EQ(occurrences(svg, "class=\"f-orange\"><title>phase II<"), 8u);
  EXPECT_EQ(occurrences(svg, "class=\"f-blue\"><title>phase I<"), 4u);
}

TEST(Gantt, of_many_ranks_some_are_shown_and_that_is_said) {
  const SampleMachine machine{.ranks = 64, .inputs = 64 * 64};
  const std::string svg = draw_gantt(both(machine), {.rows = 5});
  expect_words(svg, {"5 of 64 ranks are shown", ">rank 0<", ">rank 15<", ">rank 63<"});
  EXPECT_EQ(occurrences(svg, ">rank "), 10u);
}

TEST(Gantt, overhead_is_drawn_and_counted_apart) {
  const std::string svg = draw_gantt(both({.inputs = 64, .overhead = 1}));
  expect_words(svg, {"handling messages", "class=\"overhead\""});
}

TEST(Gantt, seconds_take_a_prefix) {
  std::vector<Trace> traces = both();
  for (Trace& trace : traces) {
    trace.unit = "s";
    for (Event& e : trace.events) {
      e.begin *= 1e-5;
      e.end *= 1e-5;
    }
  }
  expect_words(draw_gantt(traces), {"time in ms", ">7.20 ms<", "finishes 2.08 ms (29 %) earlier"});
}

TEST(Gantt, a_trace_of_a_million_events_makes_a_small_file) {
  Trace trace{.ranks = 2, .events = {}};
  std::mt19937 random(4);
  for (int rank = 0; rank < 2; ++rank)
    for (int i = 0; i < 500000; ++i) {
      const double begin = i + 0.5 * static_cast<double>(random() % 2);
      trace.events.push_back(
          {.rank = rank, .task = i, .label = i % 3 == 0 ? "a" : "b", .begin = begin, .end = i + 1.0});
    }
  const std::string svg = draw_gantt(std::span(&trace, 1));
  EXPECT_LT(svg.size(), 250000u);
  expect_words(svg, {"computing 75 %, idle 25 %"});
}

TEST(Gantt, empty_and_odd_traces_do_not_break_it) {
  Trace odd{.ranks = 3, .events = {{.rank = 7, .task = 0, .label = "x", .begin = 1, .end = 2}}};
  odd.flights = {{9, -4, 1, 0, 1, 2, 3}, {0, 1, 1, -5, 1e300, 1e300, 1e300}};
  for (const Theme theme : {Theme::automatic, Theme::light, Theme::dark})
    for (const Trace& trace : {Trace{}, odd, Trace{.ranks = 4, .events = {{.label = "instant"}}}})
      EXPECT_EQ(xml_problem(draw_gantt(std::span(&trace, 1), {.theme = theme})), "");
}

TEST(Gantt, what_cannot_share_an_axis_is_refused) {
  std::vector<Trace> traces = both();
  traces[0].unit = "s";
  EXPECT_THROW(draw_gantt(traces), Error);
  EXPECT_THROW(draw_gantt(std::span<const Trace>{}), Error);
}

}  // namespace
}  // namespace kallima
