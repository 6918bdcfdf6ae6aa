// Rewrites of schedules are schedules: what validated before validates afterwards, as what it has become.

#include "plan/rewrite/rewrite.hpp"

#include <gtest/gtest.h>

#include "kallima/wire.hpp"
#include "sample.hpp"

namespace kallima {
namespace {

struct Planned {
  std::unique_ptr<Plan> plan;
  std::string what;
};

// Every route, of complex numbers and of reals, on several ranks.
std::vector<Planned> plans(Exchange exchange, Placement placement) {
  std::vector<Planned> result;
  for (const Problem& problem :
       {Problem{.shape = {64, 6}}, Problem{.shape = {36}}, Problem{.shape = {7, 5, 3}},
        Problem{.shape = {12, 10}, .data = Data::real_}, Problem{.shape = {6, 9, 8}, .output = Output::any}})
    for (const int ranks : {1, 2, 3, 4})
      for (Candidate& c : candidates(problem, ranks, {.exchange = exchange, .placement = placement}))
        if (c.plan && c.plan->options().placement == placement)
          result.push_back(
              {std::move(c.plan), c.route + " of " + text(problem.shape) + " on " + std::to_string(ranks)});
  return result;
}

template <class Rewrite>
Schedule rewritten(const Plan& plan, Direction direction, const Rewrite& rewrite) {
  Schedule schedule = plan.schedule(direction);
  for (RankSchedule& rank : schedule.ranks) rank = rewrite(std::move(rank));
  return schedule;
}

constexpr std::array directions{Direction::forward, Direction::backward};

TEST(Encoded, is_a_sound_schedule_whose_messages_are_shorter) {
  std::size_t shorter = 0;
  Sample sample(5);
  for (const Planned& it : plans(Exchange::messages, Placement::out_of_place))
    for (const Direction direction : directions)
      for (const EncodedLanding landing : {EncodedLanding::inbox, EncodedLanding::view})
        for (const Wire& wire : {Wire{Wire::Format::single}, Wire{Wire::Format::shared_exponent, 11}}) {
          if (!sample.takes()) continue;
          SCOPED_TRACE(it.what);
          const Schedule before = it.plan->schedule(direction);
          const Schedule after = rewritten(*it.plan, direction, [&](RankSchedule rank) {
            return encoded(std::move(rank), wire, sizeof(double), landing);
          });
          ASSERT_NO_THROW(validate(after));
          EXPECT_EQ(schedule_from_json(to_json(after)), after);
          for (std::size_t r = 0; r < after.ranks.size(); ++r) {
            const Index plain = reals_sent(before.ranks[r]).sent;
            if (plain == 0) continue;
            ++shorter;
            EXPECT_LT(reals_sent(after.ranks[r]).sent, plain);
            EXPECT_EQ(reals_sent(after.ranks[r]).plain, plain);
          }
        }
  EXPECT_GT(shorter, 50u);
}

TEST(Encoded, as_they_are_messages_change_nothing) {
  const auto it = plan({.shape = {64}}, 4, {.exchange = Exchange::messages});
  const RankSchedule before = it->rank_schedule(1, Direction::forward);
  EXPECT_EQ(encoded(before, {}, sizeof(double), EncodedLanding::inbox), before);
  const Wire single{Wire::Format::single};
  EXPECT_THROW(encoded(before, single, 0, EncodedLanding::inbox), Error) << "bytes have no halves";
  const auto views = plan({.shape = {64}}, 4, {.exchange = Exchange::views});
  EXPECT_THROW(encoded(views->rank_schedule(1, Direction::forward), single, 8, EncodedLanding::view), Error);
}

TEST(Placed, out_of_place_plans_run_in_place_and_the_reverse) {
  int runs = 0;
  for (const Placement planned : {Placement::out_of_place, Placement::in_place})
    for (const Exchange exchange : {Exchange::views, Exchange::messages})
      for (const Planned& it : plans(exchange, planned))
        for (const Direction direction : directions) {
          SCOPED_TRACE(it.what);
          const bool to_one = planned == Placement::out_of_place;
          const Schedule after = rewritten(*it.plan, direction, [&](RankSchedule rank) {
            return placed(std::move(rank), planned, to_one ? Placement::in_place : Placement::out_of_place);
          });
          ASSERT_NO_THROW(validate(after, to_one ? Aliasing::in_is_out : Aliasing::separate));
          ++runs;
        }
  EXPECT_GT(runs, 60);
}

TEST(Placed, as_planned_nothing_changes) {
  const RankSchedule before = plan({.shape = {64}}, 4)->rank_schedule(1, Direction::forward);
  EXPECT_EQ(placed(before, Placement::out_of_place, Placement::out_of_place), before);
}

TEST(Without, one_half_of_the_work_is_left_and_the_order_stays) {
  for (const Exchange exchange : {Exchange::views, Exchange::messages})
    for (const Planned& it : plans(exchange, Placement::out_of_place)) {
      SCOPED_TRACE(it.what);
      const RankSchedule all = it.plan->rank_schedule(0, Direction::forward);
      const RankSchedule computing = without(all, Only::computation), sending = without(all, Only::communication);
      EXPECT_EQ(without(all, Only::everything), all);
      EXPECT_EQ(computing.words_sent(), 0);
      EXPECT_EQ(sending.words_sent(), all.words_sent());
      double flops = 0, kept = 0;
      for (std::size_t t = 0; t < all.tasks.size(); ++t) {
        flops += all.tasks[t].flops;
        kept += computing.tasks[t].flops;
        EXPECT_EQ(computing.tasks[t].after, all.tasks[t].after);
        EXPECT_EQ(sending.tasks[t].after, all.tasks[t].after);
        EXPECT_TRUE(sending.tasks[t].steps.empty());
        for (const Step& step : computing.tasks[t].steps)
          for (const Piece& source : step.pass.sources) EXPECT_LT(source.recv, 0);
      }
      EXPECT_EQ(kept, flops);
    }
}

}  // namespace
}  // namespace kallima
