#include <gtest/gtest.h>

#include "clockwork.hpp"
#include "kallima/butterfly.hpp"

namespace kallima {
namespace {

constexpr NodeSchedule node_schedules[] = {
    NodeSchedule::all_cyclic,         NodeSchedule::all_blocked,   NodeSchedule::simple,
    NodeSchedule::bad_order,          NodeSchedule::output_driven, NodeSchedule::identity_order,
    NodeSchedule::block_output_driven};

Simulation run(NodeSchedule schedule, Index n, int P, PhaseTwo phase_two, const Machine& machine,
               SimulateOptions options = {}) {
  return simulate(butterfly_outline({n, P, schedule, phase_two}), machine, options);
}

TEST(Network, the_papers_schedules_take_the_times_known_by_hand) {
  const Logp hidden{.L = 5, .g = 5};
  EXPECT_EQ(run(NodeSchedule::output_driven, 1024, 8, PhaseTwo::waiting, hidden).completion, 1280);
  EXPECT_EQ(run(NodeSchedule::identity_order, 1024, 8, PhaseTwo::waiting, hidden).completion, 1791);
  for (const double o : {0.0, 1.0}) {
    const Logp slow{.L = 0, .o = o, .g = 12};
    EXPECT_EQ(run(NodeSchedule::simple, 1024, 8, PhaseTwo::waiting, slow).completion, o > 0 ? 2614 : 2612);
    EXPECT_EQ(run(NodeSchedule::output_driven, 1024, 8, PhaseTwo::waiting, slow).completion, o > 0 ? 1845 : 1843);
    EXPECT_EQ(run(NodeSchedule::output_driven, 1024, 8, PhaseTwo::input_driven, slow).completion, o > 0 ? 1535 : 1503);
  }
}

TEST(Network, a_machine_with_words_of_its_own_counts_bytes) {
  const Outline outline = butterfly_outline({64, 4, NodeSchedule::block_output_driven, PhaseTwo::waiting});
  Machine words = Loggp{.L = 2, .g = 1, .G = 16}, bytes = Loggp{.L = 2, .g = 1, .G = 1};
  bytes.word_bytes = 1;
  ASSERT_EQ(outline.word_bytes, 16);
  EXPECT_EQ(simulate(outline, bytes).completion, simulate(outline, words).completion);
}

TEST(Network, agrees_with_a_clock_that_ticks) {
  int cases = 0;
  for (const NodeSchedule schedule : node_schedules)
    for (const PhaseTwo phase_two : {PhaseTwo::waiting, PhaseTwo::input_driven})
      for (const auto& [n, P] : {std::pair<Index, int>{4, 2}, {16, 2}, {16, 4}, {64, 4}, {64, 8}})
        for (const bool limited : {false, true})
          for (const Logp& machine : {Logp{0, 0, 1}, Logp{0, 0, 3}, Logp{5, 0, 2}, Logp{3, 1, 2}, Logp{0, 1, 4},
                                      Logp{7, 2, 5}, Logp{1, 0, 9}, Logp{20, 0, 4}}) {
            const Butterfly butterfly{n, P, schedule, phase_two};
            if (schedule == NodeSchedule::block_output_driven) continue;  // long messages
            const Outline outline = butterfly_outline(butterfly);
            const Clockwork::Result slow = Clockwork(outline, machine, limited).run();
            const Simulation fast = simulate(
                outline, machine,
                {.capacity = limited ? Capacity::limited : Capacity::unlimited, .pricing = Pricing::all_ranks});
            const std::string what = name(schedule) + " " + std::to_string(n) + " on " + std::to_string(P) + " " +
                                     text(machine) + (limited ? " limited" : "") +
                                     (phase_two == PhaseTwo::waiting ? " waiting" : " input-driven");
            EXPECT_EQ(fast.completion, slow.completion) << what;
            EXPECT_EQ(fast.last_send, slow.last_send) << what;
            EXPECT_EQ(fast.idle_max, slow.idle_max) << what;
            ++cases;
          }
  EXPECT_EQ(cases, 6 * 2 * 5 * 2 * 8);
}

TEST(Network, one_rank_stands_for_all_where_the_schedule_is_symmetric) {
  for (const NodeSchedule schedule : node_schedules)
    for (const PhaseTwo phase_two : {PhaseTwo::waiting, PhaseTwo::input_driven})
      for (const int P : {2, 4, 8})
        for (const Machine& machine : {Machine(Logp{0, 0, 3}), Machine(Logp{9, 1, 4}), Machine(Loggp{2, 1, 3, 0.5}),
                                       Machine(AlphaBeta{3, 1}), Machine(Bsp{1, 3, 20})}) {
          const Outline outline = butterfly_outline({256, P, schedule, phase_two});
          if (!outline.symmetric()) continue;
          const Simulation one = simulate(outline, machine, {.pricing = Pricing::one_rank});
          const Simulation every = simulate(outline, machine, {.pricing = Pricing::all_ranks});
          const std::string what = name(schedule) + " on " + std::to_string(P) + " " + text(machine);
          EXPECT_EQ(one.completion, every.completion) << what;
          EXPECT_EQ(one.last_send, every.last_send) << what;
          EXPECT_EQ(one.idle_max, every.idle_max) << what;
          EXPECT_EQ(one.messages, every.messages) << what;
          EXPECT_EQ(one.words, every.words) << what;
          EXPECT_EQ(one.tasks * P, every.tasks) << what;
        }
}

TEST(Network, one_rank_is_refused_where_ranks_differ) {
  const Outline outline = butterfly_outline({64, 4, NodeSchedule::simple, PhaseTwo::waiting});
  EXPECT_THROW(simulate(outline, Logp{.g = 1}, {.pricing = Pricing::one_rank}), Error);
}

TEST(Network, equal_seeds_give_equal_results_and_others_do_not) {
  const Outline outline = butterfly_outline({256, 8, NodeSchedule::output_driven, PhaseTwo::input_driven});
  const Logp machine{.L = 40, .g = 8};
  std::set<double> times;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const SimulateOptions options{.latency = Latency::random, .seed = seed};
    const double once = simulate(outline, machine, options).completion;
    EXPECT_EQ(once, simulate(outline, machine, options).completion);
    times.insert(once);
  }
  EXPECT_GT(times.size(), 5u);
  EXPECT_LE(*times.rbegin(), simulate(outline, machine).completion);  // earlier messages never make it later
}

TEST(Network, what_the_machine_cannot_do_is_refused) {
  const Outline outline = butterfly_outline({64, 4});
  EXPECT_THROW(simulate(outline, Logp{.P = 2}), Error);
  EXPECT_THROW(simulate(outline, AlphaBeta{1, 1}, {.capacity = Capacity::limited}), Error);
  EXPECT_THROW(simulate(outline, Bsp{}, {.latency = Latency::random}), Error);
}

TEST(Network, a_schedule_that_cannot_end_says_where_it_stands) {
  Outline outline{.name = "stuck", .ranks = 1, .stages = {"x"}};
  Script& script = outline.scripts.emplace_back();
  const int never_sent = script.add({.kind = TaskKind::recv_finish, .peer = 0, .words = 1});
  script.add({.kind = TaskKind::compute, .flops = 5}, {never_sent});
  script.close();
  EXPECT_THROW(simulate(outline, Logp{}), Error);
  EXPECT_THROW(simulate(outline, Bsp{}), Error);
}

TEST(Network, a_received_word_can_be_sent_on_while_the_processor_is_busy) {
  Outline outline{.name = "relay", .ranks = 3, .stages = {"x"}};
  outline.scripts.resize(3);
  outline.scripts[0].add({.kind = TaskKind::send_start, .peer = 1, .match = 0, .words = 1});
  const int relayed = outline.scripts[1].add({.kind = TaskKind::recv_finish, .peer = 0, .words = 1});
  outline.scripts[1].add({.kind = TaskKind::compute, .flops = 500});
  outline.scripts[1].add({.kind = TaskKind::send_start, .peer = 2, .match = 0, .words = 1}, {relayed});
  outline.scripts[2].add({.kind = TaskKind::recv_finish, .peer = 1, .words = 1});
  for (Script& script : outline.scripts) script.close();
  const Simulation off = simulate(outline, Logp{.L = 3, .g = 1}, {.trace = true});
  EXPECT_EQ(off.last_send, 3);
  EXPECT_EQ(off.trace.flights.back().taken, 6);
  EXPECT_EQ(simulate(outline, Logp{.L = 3, .o = 1, .g = 1}).last_send, 101);  // taken at 100, usable at 101
}

// 100 words, 2 a word of either processor: both compute for 100 besides.
TEST(Network, words_that_processors_copy_take_time_from_computing) {
  Outline outline{.name = "copies", .ranks = 2, .stages = {"x"}};
  outline.scripts.resize(2);
  outline.scripts[0].add({.kind = TaskKind::send_start, .peer = 1, .match = 0, .words = 100});
  outline.scripts[1].add({.kind = TaskKind::recv_finish, .peer = 0, .words = 100});
  for (Script& script : outline.scripts) {
    script.add({.kind = TaskKind::compute, .flops = 500});
    script.close();
  }
  for (const Machine& machine : {Machine(Loggp{.G = 1, .O = 2}), machine_from_text("loggp:G=1,O=2/node:ranks=1")}) {
    EXPECT_EQ(simulate(outline, machine).completion, 400) << "computed while it came, then copied";
    EXPECT_EQ(simulate(outline, machine, {.sharing = Sharing::flows}).completion, 300) << text(machine);
  }
  EXPECT_EQ(simulate(outline, Loggp{.G = 1}).completion, 100) << "without, links do it";
}

TEST(Supersteps, cost_the_most_that_anyone_computes_and_sends) {
  const Simulation it = run(NodeSchedule::simple, 64, 4, PhaseTwo::waiting, Bsp{.r = 1, .g = 3, .l = 100});
  EXPECT_EQ(it.supersteps, 3);
  EXPECT_EQ(it.completion, 5 * 16 * 6 + 2 * 3 * 12 + 3 * 100);
  EXPECT_EQ(it.words, 4 * 12);
  const Simulation fixed = run(NodeSchedule::all_blocked, 64, 4, PhaseTwo::waiting, Bsp{.r = 1, .g = 3, .l = 100});
  EXPECT_EQ(fixed.completion, 5 * 16 * 6 + 2 * (2 * 3 * 16) + 4 * 100 + 0);
}

}  // namespace
}  // namespace kallima
