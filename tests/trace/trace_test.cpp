// Statistics of traces: hand-made ones with known answers, and properties that hold for any trace.

#include "kallima/trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "trace/moments.hpp"

namespace kallima {
namespace {

Event event(int task, TaskKind kind, double begin, double end, int start = -1, int peer = -1) {
  return {.task = task, .kind = kind, .label = "", .peer = peer, .begin = begin, .end = end, .start = start};
}

// Computes from 0 to 6 and 8 to 9, waits from 6 to 8; its one message is under way from 1 to 8.
Trace one_message() {
  return {.ranks = 1,
          .events = {event(0, TaskKind::compute, 0, 1), event(1, TaskKind::send_start, 1, 1.5, -1, 1),
                     event(2, TaskKind::compute, 1.5, 6), event(-1, TaskKind::compute, 6, 7.5),
                     event(3, TaskKind::send_finish, 7.5, 8, 1, 1), event(4, TaskKind::copy, 8, 9)}};
}

Trace random_trace(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> time(0, 10);
  std::uniform_int_distribution<int> kind(0, 5), any(0, 4);
  Trace trace{.ranks = 3, .events = {}};
  for (int i = 0; i < 40; ++i) {
    const double a = time(random), b = time(random);
    Event e = event(any(random) == 0 ? -1 : i, static_cast<TaskKind>(kind(random)), std::min(a, b), std::max(a, b));
    e.rank = any(random) % 3;
    e.peer = any(random) % 3;
    trace.events.push_back(e);
  }
  return trace;
}

TEST(Intervals, united_joins_what_overlaps_or_touches_and_drops_instants) {
  EXPECT_EQ(united({{3, 4}, {0, 1}, {1, 2}, {5, 5}, {3.5, 6}}), (std::vector<Interval>{{0, 2}, {3, 6}}));
  EXPECT_EQ(united({{0, 5}, {1, 2}}), (std::vector<Interval>{{0, 5}}));
  EXPECT_TRUE(united({}).empty());
}

TEST(Intervals, common_is_what_both_have) {
  EXPECT_EQ(common({{0, 2}, {3, 6}}, {{1, 4}, {5, 9}}), (std::vector<Interval>{{1, 2}, {3, 4}, {5, 6}}));
  EXPECT_TRUE(common({{0, 1}}, {{1, 2}}).empty());
}

TEST(Intervals, gaps_are_what_is_left_of_the_whole) {
  EXPECT_EQ(gaps({{1, 2}, {3, 9}}, {0, 5}), (std::vector<Interval>{{0, 1}, {2, 3}}));
  EXPECT_EQ(gaps({{-1, 1}, {7, 8}}, {0, 5}), (std::vector<Interval>{{1, 5}}));
  EXPECT_EQ(gaps({}, {0, 5}), (std::vector<Interval>{{0, 5}}));
}

TEST(Trace, hidden_means_the_same_everywhere) {
  // Rank 0 sends from 0 to 10 and computes from 2 to 8; of that it looks at messages for 1. Rank 1 waits and takes it.
  Trace trace;
  trace.ranks = 2;
  trace.events = {
      {.rank = 0, .task = 0, .kind = TaskKind::send_start, .peer = 1, .begin = 0, .end = 0, .tag = 1},
      {.rank = 0, .task = 1, .kind = TaskKind::compute, .begin = 2, .end = 8},
      {.rank = 0, .task = 2, .kind = TaskKind::send_finish, .peer = 1, .begin = 10, .end = 10, .start = 0, .tag = 1},
      {.rank = 1, .task = 0, .kind = TaskKind::recv_start, .peer = 0, .begin = 0, .end = 0, .tag = 1},
      {.rank = 1, .task = -1, .begin = 0, .end = 10},
      {.rank = 1, .task = 1, .kind = TaskKind::recv_finish, .peer = 0, .begin = 10, .end = 10, .start = 0, .tag = 1}};
  trace.events[1].polling = 1;
  EXPECT_DOUBLE_EQ(rank_times(trace, 0).hidden_share, 0.5);
  EXPECT_DOUBLE_EQ(rank_times(trace, 1).hidden_share, 0);
  ASSERT_TRUE(hidden_share(trace).has_value());
  EXPECT_DOUBLE_EQ(*hidden_share(trace), 0.25);
  EXPECT_EQ(overlap_report(trace).hidden_share, hidden_share(trace));
  EXPECT_EQ(overlap_report(trace, Alone{6, 4}).hidden_share,
            hidden_share(trace));  // what parts take alone is no matter
  EXPECT_DOUBLE_EQ(overlap_report(trace).ranks[0].exposed, rank_times(trace, 0).exposed);
  trace.events[3].in_place = true;  // rank 1 reads it where it is: nothing was sent
  EXPECT_FALSE(hidden_share(trace).has_value());
  EXPECT_FALSE(hidden_share(Trace{}).has_value());
}

TEST(Trace, times_of_one_message_partly_hidden) {
  const RankTimes times = rank_times(one_message(), 0);
  EXPECT_DOUBLE_EQ(times.computing, 5.5);
  EXPECT_DOUBLE_EQ(times.copying, 1);
  EXPECT_DOUBLE_EQ(times.posting, 1);
  EXPECT_DOUBLE_EQ(times.waiting, 1.5);
  EXPECT_DOUBLE_EQ(times.communication, 7);
  EXPECT_DOUBLE_EQ(times.exposed, 2.5);  // waiting, and posting
  EXPECT_DOUBLE_EQ(times.hidden_share, 1 - 2.5 / 7);
}

// What an engine does for a message is no work that the message could be hidden behind.
TEST(Trace, copies_on_the_way_of_a_message_hide_nothing) {
  const Trace plain = one_message();
  Trace staged = plain;
  staged.events.push_back(event(1, TaskKind::copy, 5, 8, -1, 1));
  const RankTimes expected = rank_times(plain, 0), times = rank_times(staged, 0);
  EXPECT_EQ(times.exposed, expected.exposed);
  EXPECT_EQ(times.copying, expected.copying);
  EXPECT_EQ(times.posting, expected.posting);
  EXPECT_EQ(hidden_share(staged), hidden_share(plain));
  EXPECT_EQ(trace_from_perfetto_json(to_perfetto_json(staged)).events.back().peer, 1);
}

TEST(Trace, waiting_while_no_message_is_under_way_is_not_exposed_communication) {
  Trace trace = one_message();
  trace.events.push_back(event(-1, TaskKind::compute, 9, 20));
  EXPECT_DOUBLE_EQ(rank_times(trace, 0).waiting, 12.5);
  EXPECT_DOUBLE_EQ(rank_times(trace, 0).hidden_share, 1 - 2.5 / 7);
}

TEST(Trace, makespan_is_from_the_first_begin_to_the_last_end) {
  EXPECT_EQ(makespan({}), 0);
  EXPECT_DOUBLE_EQ(makespan(one_message()), 9);
  Trace later = one_message();
  for (Event& e : later.events) {
    e.begin += 100;
    e.end += 100;
  }
  EXPECT_DOUBLE_EQ(makespan(later), 9);
}

TEST(Trace, a_rank_that_sends_nothing_hides_everything) {
  EXPECT_EQ(rank_times({}, 0).hidden_share, 1);
  EXPECT_EQ(rank_times(one_message(), 1).hidden_share, 1);
}

TEST(Trace, finishes_find_the_start_they_name_even_out_of_order) {
  const Trace trace{
      .ranks = 1,
      .events = {event(0, TaskKind::recv_start, 0, 0, -1, 1), event(1, TaskKind::recv_start, 1, 1, -1, 1),
                 event(2, TaskKind::recv_finish, 3, 3, 1, 1), event(3, TaskKind::recv_finish, 9, 9, 0, 1)}};
  const auto all = flights(trace, 0);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].end, 9);
  EXPECT_EQ(all[1].end, 3);
}

TEST(Trace, finishes_that_name_no_start_take_the_oldest_with_their_peer) {
  const Trace trace{
      .ranks = 1,
      .events = {event(0, TaskKind::recv_start, 0, 0, -1, 1), event(1, TaskKind::send_start, 1, 1, -1, 1),
                 event(2, TaskKind::recv_start, 2, 2, -1, 2), event(3, TaskKind::recv_finish, 3, 3, -1, 2),
                 event(4, TaskKind::send_finish, 4, 4, -1, 1), event(5, TaskKind::recv_finish, 5, 5, -1, 1)}};
  std::vector<double> ends;
  for (const Transit& f : flights(trace, 0)) ends.push_back(f.end);
  EXPECT_EQ(ends, (std::vector<double>{5, 4, 3}));
}

TEST(Trace, a_message_of_no_length_is_one_message_in_either_order_of_its_events) {
  Trace trace{.ranks = 1,
              .events = {event(3, TaskKind::send_finish, 2, 2, 1, 1), event(1, TaskKind::send_start, 2, 2, -1, 1),
                         event(4, TaskKind::compute, 2, 9)}};
  EXPECT_EQ(rank_times(trace, 0).communication, 0);
  EXPECT_EQ(flights(trace, 0).size(), 1u);
}

TEST(Trace, a_schedule_run_twice_pairs_each_run_with_itself) {
  Trace trace = one_message();
  for (Event e : one_message().events) {
    e.begin += 10;
    e.end += 10;
    trace.events.push_back(e);
  }
  EXPECT_DOUBLE_EQ(rank_times(trace, 0).communication, 14);
  EXPECT_EQ(flights(trace, 0).size(), 2u);
}

TEST(Trace, no_time_exceeds_the_makespan_whatever_the_events) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Trace trace = random_trace(seed);
    const double all = makespan(trace) * (1 + 1e-12);
    for (int rank = 0; rank < 3; ++rank) {
      const RankTimes t = rank_times(trace, rank);
      for (const double part : {t.computing, t.copying, t.posting, t.waiting, t.communication}) {
        EXPECT_GE(part, 0);
        EXPECT_LE(part, all);
      }
      EXPECT_LE(t.exposed, t.communication + 1e-12);
      EXPECT_GE(t.hidden_share, 0);
      EXPECT_LE(t.hidden_share, 1);
    }
  }
}

TEST(Trace, times_do_not_depend_on_the_order_of_events) {
  Trace trace = one_message();
  const RankTimes before = rank_times(trace, 0);
  std::reverse(trace.events.begin(), trace.events.end());
  const RankTimes after = rank_times(trace, 0);
  EXPECT_DOUBLE_EQ(before.communication, after.communication);
  EXPECT_DOUBLE_EQ(before.computing, after.computing);
}

TEST(Perfetto, every_event_is_a_slice_of_its_length_and_every_message_begins_and_ends) {
  const Trace trace = random_trace(7);
  const auto json = nlohmann::json::parse(to_perfetto_json(trace));
  double slices = 0, expected = 0;
  std::map<std::string, int> count;
  for (const auto& e : json.at("traceEvents")) {
    ++count[e.at("ph")];
    if (e.at("ph") == "X") slices += e.at("dur").get<double>();
  }
  std::size_t messages = 0;
  for (int rank = 0; rank < 3; ++rank) messages += flights(trace, rank).size();
  for (const Event& e : trace.events) expected += 1e6 * (e.end - e.begin);
  EXPECT_EQ(count["X"], 40);
  EXPECT_NEAR(slices, expected, 1e-3);
  EXPECT_EQ(count["b"], static_cast<int>(messages));
  EXPECT_EQ(count["b"], count["e"]);
  EXPECT_EQ(count["M"], 9);
}

TEST(Perfetto, labels_with_quotes_and_broken_utf8_stay_json) {
  Trace trace = one_message();
  trace.events[0].label = "a \"quoted\"\n\xff label";
  EXPECT_TRUE(nlohmann::json::accept(to_perfetto_json(trace)));
  EXPECT_TRUE(nlohmann::json::accept(to_perfetto_json({})));
}

}  // namespace
}  // namespace kallima
