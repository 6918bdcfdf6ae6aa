// The terminal timeline: what it must show, and that no trace breaks it.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "kallima/draw.hpp"
#include "sample_traces.hpp"

namespace kallima {
namespace {

Event event(int rank, int task, TaskKind kind, const std::string& label, double begin, double end) {
  const int peer = kind == TaskKind::compute || kind == TaskKind::copy ? -1 : 1 - rank;
  return {.rank = rank, .task = task, .kind = kind, .label = label, .peer = peer, .begin = begin, .end = end};
}

// Half the time in phase I, a quarter waiting, a quarter in phase II, with a message under way in the middle half.
Trace two_ranks() {
  Trace trace{.ranks = 2, .events = {}};
  for (int r = 0; r < 2; ++r) {
    trace.events.push_back(event(r, 0, TaskKind::compute, "phase I", 0, 0.002));
    trace.events.push_back(event(r, 1, TaskKind::send_start, "exchange", 0.001, 0.001));
    trace.events.push_back(event(r, -1, TaskKind::compute, "", 0.002, 0.003));
    trace.events.push_back(event(r, 2, TaskKind::send_finish, "exchange", 0.003, 0.003));
    trace.events.push_back(event(r, 3, TaskKind::compute, "phase II", 0.003, 0.004));
  }
  return trace;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

// What stands between the bars of the line that starts with `head`.
std::string row(const std::string& text, const std::string& head) {
  for (const std::string& line : lines(text))
    if (line.starts_with(head)) return line.substr(line.find('|') + 1, line.rfind('|') - line.find('|') - 1);
  return "";
}

long count(const std::string& text, char c) { return std::count(text.begin(), text.end(), c); }

TEST(DrawText, columns_are_shared_out_in_proportion_to_time) {
  const std::string work = row(draw_text(two_ranks()), "rank 1");
  const double width = static_cast<double>(work.size());
  EXPECT_NEAR(static_cast<double>(count(work, '1')), width / 2, 1);
  EXPECT_NEAR(static_cast<double>(count(work, '.')), width / 4, 1);
  EXPECT_NEAR(static_cast<double>(count(work, '2')), width / 4, 1);
}

TEST(DrawText, messages_are_drawn_where_they_are_under_way) {
  const std::string messages = row(draw_text(two_ranks()), "       |");
  const double width = static_cast<double>(messages.size());
  EXPECT_NEAR(static_cast<double>(count(messages, '>')), width / 2, 1.5);
  EXPECT_NEAR(static_cast<double>(messages.find('>')), width / 4, 1);
}

TEST(DrawText, messages_in_both_directions_are_told_apart) {
  Trace trace = two_ranks();
  trace.events.push_back(event(0, 4, TaskKind::recv_start, "exchange", 0.002, 0.002));
  trace.events.push_back(event(0, 5, TaskKind::recv_finish, "exchange", 0.004, 0.004));
  const std::string messages = row(draw_text(trace), "       |");
  EXPECT_LT(messages.find('>'), messages.find('='));
  EXPECT_LT(messages.find('='), messages.find('<'));
  EXPECT_NE(messages.find('<'), std::string::npos);
}

TEST(DrawText, legend_axis_and_shares_are_there) {
  const std::string text = draw_text(two_ranks());
  for (const char* expected : {"1 phase I", "2 phase II", ". waiting", "> sending", "4.00 ms", " 75%", " 25%", " 50%"})
    EXPECT_NE(text.find(expected), std::string::npos) << expected << "\n" << text;
  EXPECT_EQ(text.find("both under way"), std::string::npos);
}

TEST(DrawText, no_line_is_wider_than_asked) {
  for (const int columns : {60, 80, 100, 200})
    for (const std::string& line : lines(draw_text(two_ranks(), columns)))
      EXPECT_LE(static_cast<int>(line.size()), columns) << line;
}

TEST(DrawText, an_empty_trace_says_so) { EXPECT_NE(draw_text({}).find("nothing was recorded"), std::string::npos); }

TEST(DrawText, one_event_of_no_length_is_still_seen) {
  const Trace trace{.ranks = 1, .events = {event(0, 0, TaskKind::copy, "pack", 5, 5)}};
  EXPECT_EQ(count(row(draw_text(trace), "rank 0"), 'P'), 1);
}

TEST(DrawText, one_long_event_fills_its_row) {
  const Trace trace{.ranks = 1, .events = {event(0, 0, TaskKind::copy, "pack", 5, 7)}};
  const std::string work = row(draw_text(trace), "rank 0");
  EXPECT_EQ(count(work, 'P'), static_cast<long>(work.size()));
}

TEST(DrawText, tiny_widths_and_idle_ranks_do_not_break_it) {
  Trace trace = two_ranks();
  trace.ranks = 40;
  for (const int columns : {-5, 0, 1, 30}) {
    const std::string text = draw_text(trace, columns);
    EXPECT_NE(text.find("rank 39"), std::string::npos);
  }
}

TEST(DrawText, stages_have_different_letters) {
  Trace trace{.ranks = 1, .events = {}};
  for (int i = 0; i < 30; ++i)
    trace.events.push_back(
        event(0, i, TaskKind::compute, "stage " + std::string(1, static_cast<char>('a' + i)), i, i + 1));
  const std::string work = row(draw_text(trace, 400), "rank 0");
  EXPECT_EQ(std::set<char>(work.begin(), work.end()).size(), 30u);
}

TEST(DrawText, a_simulation_counts_in_its_unit_has_its_title_on_top_and_waits_where_it_does_nothing) {
  const Trace trace = SampleTrace({}, "simple, P = 4").simple();
  const std::string text = draw_text(trace);
  EXPECT_TRUE(text.starts_with("simple, P = 4\n")) << text;
  EXPECT_NE(text.find(" 720 nodes\n"), std::string::npos) << text;
  const std::string work = row(text, "rank 2");
  EXPECT_NEAR(static_cast<double>(count(work, '.')), 208.0 / 720 * static_cast<double>(work.size()), 1) << text;
}

TEST(DrawText, events_of_ranks_that_do_not_exist_are_left_out) {
  Trace trace = two_ranks();
  trace.ranks = 1;
  EXPECT_EQ(draw_text(trace).find("rank 1"), std::string::npos);
}

}  // namespace
}  // namespace kallima
