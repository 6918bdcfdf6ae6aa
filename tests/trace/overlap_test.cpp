// The overlap report on made-up runs whose losses are known: each limiter appears where it should and nowhere else.

#include "kallima/overlap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace kallima {
namespace {

// Runs of two ranks that do the same at the same time, unless told otherwise. Times are milliseconds.
class Script {
 public:
  void compute(const std::string& label, double begin, double end, double gap = 0, double polling = 0) {
    for (const int rank : {0, 1}) compute_on(rank, label, begin, end, gap, polling);
  }
  void compute_on(int rank, const std::string& label, double begin, double end, double gap = 0, double polling = 0) {
    Event& e = add(rank, TaskKind::compute, label, begin, end);
    e.longest_gap = gap * ms;
    e.polling = polling * ms;
    e.polls = polling > 0 ? 10 : 0;
  }
  void wait(double begin, double end) {
    for (const int rank : {0, 1}) wait_on(rank, begin, end);
  }
  void wait_on(int rank, double begin, double end) { add(rank, TaskKind::compute, "", begin, end).task = -1; }
  void exchange(double sent, double received, int chunk = 0, double posted = 0) {
    for (const int rank : {0, 1}) message(rank, sent, received, chunk, posted);
  }
  void message(int from, double sent, double received, int chunk = 0, double posted = 0) {
    const int to = 1 - from;
    for (const auto& [rank, kind, time] : {std::tuple{to, TaskKind::recv_start, posted},
                                           {from, TaskKind::send_start, sent},
                                           {to, TaskKind::recv_finish, received},
                                           {from, TaskKind::send_finish, received}}) {
      Event& e = add(rank, kind, "exchange", time, time);
      e.peer = 1 - rank;
      e.tag = chunk;
      e.chunk = chunk;
      e.elements = 1000;
      if (kind == TaskKind::recv_finish || kind == TaskKind::send_finish) e.start = e.task - 2;
    }
  }
  const Trace& trace() const { return trace_; }
  Trace& trace() { return trace_; }

 private:
  static constexpr double ms = 1e-3;
  Event& add(int rank, TaskKind kind, const std::string& label, double begin, double end) {
    return trace_.events.emplace_back(
        Event{.rank = rank, .task = next_++, .kind = kind, .label = label, .begin = begin * ms, .end = end * ms});
  }
  Trace trace_{.ranks = 2, .events = {}, .element_bytes = 16};
  int next_ = 0;
};

bool has(const OverlapReport& report, Cause cause) {
  return std::any_of(report.losses.begin(), report.losses.end(), [&](const Loss& l) { return l.cause == cause; });
}

double lost(const OverlapReport& report) {
  return std::accumulate(report.losses.begin(), report.losses.end(), 0.0,
                         [](double sum, const Loss& l) { return sum + l.time; });
}

// The first loss is this one, said so, and all of them are what the run took beyond its bound.
void expect_limiter(const OverlapReport& report, Cause cause, double time_ms, const std::string& words) {
  ASSERT_FALSE(report.losses.empty()) << report.limiter;
  EXPECT_EQ(report.losses[0].cause, cause) << text(report);
  EXPECT_NEAR(report.losses[0].time, 1e-3 * time_ms, 1e-9) << text(report);
  EXPECT_NE(report.limiter.find(words), std::string::npos) << report.limiter;
  EXPECT_NEAR(lost(report), report.time - report.bound, 0.003 * report.time) << text(report);
}

TEST(Overlap, a_run_as_long_as_its_messages_is_limited_by_the_network) {
  Script run;
  run.compute("phase I", 0, 1);
  run.exchange(1, 100);
  run.compute("phase II", 1, 60);
  run.wait(60, 100);
  const OverlapReport report = overlap_report(run.trace());
  EXPECT_EQ(report.limiter, "the network is the limit: 99.0 ms on the wire, all computing hidden");
  EXPECT_NEAR(report.ratio, 100.0 / 99, 1e-9);
  EXPECT_NEAR(report.hidden_share.value(), 59.0 / 99, 1e-9);
}

TEST(Overlap, a_run_that_only_computes_is_limited_by_the_processor) {
  Script run;
  run.compute("local", 0, 50);
  const OverlapReport report = overlap_report(run.trace());
  EXPECT_EQ(report.limiter, "the processor is the limit: 50.0 ms of computing, nothing is exchanged");
  EXPECT_FALSE(report.hidden_share.has_value());
  EXPECT_TRUE(report.losses.empty());
}

TEST(Overlap, a_run_that_takes_no_time_has_no_losses) {
  const OverlapReport report = overlap_report({.ranks = 1, .events = {{.begin = 5e17, .end = 5e17}}});
  EXPECT_EQ(report.time, 0);
  EXPECT_TRUE(report.losses.empty());
  EXPECT_NE(report.limiter, "");
}

TEST(Overlap, communication_begins_when_it_is_sent_and_not_when_it_is_awaited) {
  Script run;
  run.compute("phase I", 0, 40);
  run.exchange(40, 100);
  run.wait(40, 100);
  EXPECT_NEAR(rank_times(run.trace(), 0).communication, 0.06, 1e-12);
  EXPECT_NEAR(rank_times(run.trace(), 0).hidden_share, 0, 1e-12);
}

TEST(Overlap, what_is_computed_before_the_first_block_is_named) {
  Script run;
  run.compute("split", 0, 21);
  run.exchange(21, 160);
  run.wait(21, 160);
  const OverlapReport report = overlap_report(run.trace());
  expect_limiter(report, Cause::first_block, 21, "nothing to send before the first block: 21.0 ms in split (13 %");
  EXPECT_FALSE(has(report, Cause::last_chunk));
  EXPECT_FALSE(has(report, Cause::idle_network));
}

TEST(Overlap, what_is_left_after_the_last_message_is_named) {
  Script run;
  run.exchange(0, 100);
  run.compute("phase I", 0, 5);
  run.wait(5, 100);
  run.compute("phase II", 100, 111);
  const OverlapReport report = overlap_report(run.trace());
  expect_limiter(report, Cause::last_chunk, 11, "last chunk too large: 11.0 ms in phase II after the last message");
  EXPECT_FALSE(has(report, Cause::first_block));
}

TEST(Overlap, a_network_that_stands_idle_between_blocks_is_named) {
  Script run;
  run.exchange(0, 50, 0);
  run.compute("phase I", 0, 62);
  run.exchange(62, 120, 1);
  run.wait(62, 120);
  expect_limiter(overlap_report(run.trace()), Cause::idle_network, 12, "between two blocks: 12.0 ms in phase I");
}

TEST(Overlap, a_task_that_does_not_look_at_the_messages_is_named) {
  for (const double gap : {80.0, 0.1}) {
    Script run;
    run.exchange(0, 150);
    run.compute("phase I", 0, 100, gap);
    run.wait(100, 150);
    const OverlapReport report = overlap_report(run.trace());
    EXPECT_EQ(has(report, Cause::no_progress), gap > 1) << text(report);
    if (gap < 1) continue;
    expect_limiter(report, Cause::no_progress, 50, "no progress between tasks");
    EXPECT_NE(report.limiter.find("80.0 ms without a look"), std::string::npos) << report.limiter;
  }
}

TEST(Overlap, gaps_do_not_matter_while_nothing_is_under_way) {
  Script run;
  run.compute("phase I", 0, 100, 90);
  run.exchange(100, 150);
  run.wait(100, 150);
  EXPECT_FALSE(has(overlap_report(run.trace()), Cause::no_progress));
}

// Rank 1 is 12 ms late, and so are its blocks.
Script late_run(double travel) {
  Script run;
  run.compute_on(0, "phase I", 0, 30);
  run.compute_on(1, "phase I", 12, 42);
  run.message(0, 30, 42, 0, 12);
  run.message(1, 42, 42 + travel, 0, 12);
  run.wait_on(0, 30, 42 + travel);
  run.compute_on(0, "phase II", 42 + travel, 44 + travel);
  return run;
}

TEST(Overlap, a_late_rank_leaves_the_network_idle) {
  const OverlapReport report = overlap_report(late_run(100).trace(), Alone{.computation = 0.032, .communication = 0.1});
  EXPECT_NEAR(report.ranks[1].arrived, 0.012, 1e-12);
  const auto found = std::find_if(report.losses.begin(), report.losses.end(),
                                  [](const Loss& l) { return l.cause == Cause::late_rank; });
  ASSERT_NE(found, report.losses.end());
  EXPECT_NEAR(found->time, 0.012, 1e-12);
  EXPECT_EQ(found->text, "rank 1 arrived 12.0 ms late");
  EXPECT_NEAR(lost(report), report.time - report.bound, 1e-9);
}

TEST(Overlap, a_late_rank_makes_the_others_wait) {
  const OverlapReport report = overlap_report(late_run(5).trace(), Alone{.computation = 0.032, .communication = 0.005});
  expect_limiter(report, Cause::late_rank, 12, "rank 1 arrived 12.0 ms late");
  EXPECT_FALSE(has(report, Cause::unsent));
}

TEST(Overlap, waiting_for_a_late_rank_is_its_fault) {
  Script run;
  run.compute_on(0, "phase I", 0, 20);
  run.wait_on(0, 20, 50);
  run.compute_on(1, "phase I", 50, 70);
  run.message(0, 20, 50, 0, 50);
  run.message(1, 60, 61, 1, 50);
  run.wait_on(0, 50, 61);
  run.compute_on(0, "phase II", 61, 81);
  const OverlapReport report = overlap_report(run.trace(), Alone{.computation = 0.040, .communication = 0.001});
  expect_limiter(report, Cause::late_rank, 40, "rank 1 arrived 50.0 ms late");
}

TEST(Overlap, looking_at_messages_costs_processor_time) {
  Script run;
  run.exchange(0, 50);
  run.compute("phase I", 0, 100, 0.1, 18);
  const OverlapReport report = overlap_report(run.trace());
  expect_limiter(report, Cause::processor, 18, "CPU spent in messages: 18 %");
  EXPECT_NEAR(report.ranks[0].all.computing, 0.082, 1e-12);
  EXPECT_NEAR(report.ranks[0].exposed, 0.018, 1e-12);
}

TEST(Overlap, parts_that_were_faster_alone_are_named) {
  Script run;
  run.exchange(0, 60);
  run.compute("phase I", 0, 100);
  const Alone fast_computing{.computation = 0.070, .communication = 0.050};
  expect_limiter(overlap_report(run.trace(), fast_computing), Cause::slower_computing, 30, "computing took 30.0 ms");
  Script other;
  other.exchange(0, 100);
  other.compute("phase I", 0, 60);
  other.wait(60, 100);
  const Alone fast_network{.computation = 0.060, .communication = 0.075};
  expect_limiter(overlap_report(other.trace(), fast_network), Cause::slower_messages, 25, "messages took 25.0 ms");
}

TEST(Overlap, waits_are_told_apart_by_what_they_were_for) {
  Script run;
  run.compute("phase I", 0, 40);
  run.wait(40, 55);  // nothing sent yet until 50
  run.exchange(50, 55, 0);
  run.compute("phase II", 55, 80);
  run.exchange(60, 90, 1);
  run.wait(80, 90);
  run.compute("phase II", 90, 110);
  const OverlapReport report = overlap_report(run.trace());
  expect_limiter(report, Cause::unsent, 10, "waited 10.0 ms for other ranks");
  EXPECT_TRUE(has(report, Cause::last_chunk));
  EXPECT_TRUE(has(report, Cause::waiting));
  EXPECT_NEAR(report.ranks[0].stages.back().waiting + report.ranks[0].stages.front().waiting, 0.025, 1e-12);
}

TEST(Overlap, a_run_at_its_bound_has_no_limiter_but_the_bound) {
  Script run;
  run.compute_on(1, "phase I", 0, 100);
  run.compute_on(0, "phase I", 0, 40);
  run.message(1, 99.9, 100);
  run.wait_on(0, 40, 100);
  const OverlapReport report = overlap_report(run.trace());
  EXPECT_EQ(report.limiter, "the processor is the limit: 100.0 ms of computing, all communication hidden");
  EXPECT_NE(text(report).find("of the communication hidden\n"), std::string::npos);
}

TEST(Overlap, stages_add_up_to_the_rank_and_bytes_are_counted) {
  Script run;
  run.compute("split", 0, 10);
  run.exchange(10, 30);
  run.wait(10, 30);
  run.compute("phase II", 30, 45);
  const OverlapReport report = overlap_report(run.trace());
  ASSERT_EQ(report.ranks.size(), 2u);
  const RankOverlap& rank = report.ranks[1];
  EXPECT_NEAR(rank.all.computing, 0.025, 1e-12);
  EXPECT_NEAR(rank.all.waiting, 0.020, 1e-12);
  EXPECT_EQ(rank.all.words_sent, 1000);
  std::set<std::string> stages;
  for (const StageTimes& s : rank.stages) {
    stages.insert(s.stage);
    EXPECT_NEAR(s.waiting, s.stage == "phase II" ? 0.020 : 0, 1e-12);
  }
  EXPECT_EQ(stages, (std::set<std::string>{"exchange", "phase II", "split"}));
}

TEST(Overlap, a_simulated_run_is_reported_in_its_own_unit) {
  const Trace trace{
      .ranks = 2,
      .unit = "node",
      .events = {{.rank = 0, .task = 0, .label = "phase I", .begin = 0, .end = 4},
                 {.rank = 1, .task = 0, .label = "phase I", .begin = 0, .end = 3},
                 {.rank = 0, .task = 1, .label = "phase II", .begin = 15, .end = 16}},
      .flights = {{.from = 1, .to = 0, .words = 1, .sent = 3, .departed = 4, .arrived = 15, .taken = 15}}};
  const OverlapReport report = overlap_report(trace);
  EXPECT_EQ(report.losses.at(0).cause, Cause::first_block);
  EXPECT_NE(report.limiter.find("3 node in phase I"), std::string::npos) << report.limiter;
  EXPECT_EQ(report.time, 16);
  EXPECT_EQ(report.bound, 12);
}

TEST(Overlap, the_text_has_a_row_per_rank_and_stage_or_the_spread_of_many) {
  Script run;
  run.compute("split", 0, 21);
  run.exchange(21, 160);
  run.wait(21, 160);
  run.trace().settings = {{"route", "cyclic"}, {"tuning", ""}};
  const std::string few = text(overlap_report(run.trace()));
  for (const char* part : {"route cyclic", "rank 1", "split", "exchange", "limiter: nothing to send", "MiB sent"})
    EXPECT_NE(few.find(part), std::string::npos) << few;
  EXPECT_EQ(few.find("tuning"), std::string::npos) << few;
  Trace many{.ranks = 20, .events = {}};
  for (int rank = 0; rank < 20; ++rank)
    many.events.push_back({.rank = rank, .task = 0, .label = "local", .begin = 0, .end = 0.001 * (rank + 1)});
  const std::string spread = text(overlap_report(many));
  EXPECT_NE(spread.find("median    local            10.00"), std::string::npos) << spread;
  EXPECT_EQ(spread.find("rank 3"), std::string::npos) << spread;
  EXPECT_EQ(text(overlap_report({})), "overlap report: nothing was recorded\n");
}

}  // namespace
}  // namespace kallima
