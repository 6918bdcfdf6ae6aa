// Schedules with the caller's function in the middle, and those between arrays of different shapes, are sound.

#include <gtest/gtest.h>

#include "kallima/plan.hpp"
#include "plan/rewrite/rewrite.hpp"
#include "plan/routes/regrid.hpp"

namespace kallima {
namespace {

Schedule applied(const Plan& plan) {
  Schedule all{.name = "apply", .exchanges = 2 * plan.exchanges()};
  all.preparation = plan.schedule(Direction::forward).preparation;
  for (int rank = 0; rank < plan.layout_in().ranks(); ++rank) all.ranks.push_back(applied_schedule(plan, rank).tasks);
  return all;
}

Index elements_applied(const RankSchedule& schedule) {
  Index count = 0;
  for (const Task& task : schedule.tasks)
    for (const Step& step : task.steps)
      if (step.pass.action == Action::apply) count += step.pass.length * step.pass.loops[0];
  return count;
}

TEST(ApplyPlan, is_valid_in_place_and_out_of_place_by_every_route) {
  for (const Problem& problem : {Problem{.shape = {64}},
                                 {.shape = {13}},
                                 {.shape = {16, 9, 4}},
                                 {.shape = {8, 6}, .axes = {1}},
                                 {.shape = {7, 5, 6}, .data = Data::real_},
                                 {.shape = {8, 16, 4}, .output = Output::any, .data = Data::real_}})
    for (const int ranks : {1, 2, 3, 4})
      for (const Exchange exchange : {Exchange::views, Exchange::messages})
        for (const Index chunks : {0, 2})
          for (const auto& candidate : candidates(problem, ranks, {.chunks = chunks, .exchange = exchange})) {
            if (!candidate.plan) continue;
            const Schedule all = applied(*candidate.plan);
            for (const Aliasing aliasing : {Aliasing::separate, Aliasing::in_is_out})
              EXPECT_NO_THROW(validate(all, aliasing)) << text(problem.shape) << " by " << candidate.route;
            for (int rank = 0; rank < ranks; ++rank)
              EXPECT_EQ(elements_applied(all.ranks[static_cast<std::size_t>(rank)]),
                        candidate.plan->layout_out().local_size(rank));
          }
}

TEST(ApplyPlan, factors_are_a_sound_schedule_once_they_are_kept) {
  for (const int ranks : {1, 2, 3})
    for (const Exchange exchange : {Exchange::views, Exchange::messages})
      for (const auto& candidate : candidates({.shape = {16, 9, 4}}, ranks, {.exchange = exchange})) {
        if (!candidate.plan) continue;
        Schedule all{.name = "factors", .exchanges = 2 * candidate.plan->exchanges()};
        for (int rank = 0; rank < ranks; ++rank) {
          RankSchedule tasks = applied_schedule(*candidate.plan, rank, ApplyBy::factors).tasks;
          const Index kept = tasks.size(Buffer::kept);
          EXPECT_EQ(kept, candidate.plan->layout_out().local_size(rank));
          RankSchedule zeros{.rank = rank};  // what would leave the factors
          zeros.sizes[at(Buffer::out)] = kept;
          Pass fill{.action = Action::fill, .length = kept};
          fill.targets = {{.buffer = Buffer::out, .count = kept}};
          if (kept > 0) zeros.tasks = {{.steps = {{.pass = fill}}, .elements = kept}};
          all.preparation.push_back(zeros);
          all.ranks.push_back(std::move(tasks));
        }
        for (const Aliasing aliasing : {Aliasing::separate, Aliasing::in_is_out})
          EXPECT_NO_THROW(validate(all, aliasing)) << candidate.route;
      }
}

TEST(ApplyPlan, parts_of_the_spectrum_are_seen_by_the_tasks_that_finish_them) {
  const auto cut = plan({.shape = {64, 32, 32}}, 2, {.route = "cyclic", .chunks = 4, .exchange = Exchange::messages});
  const RankSchedule schedule = applied_schedule(*cut, 0).tasks;
  int tasks = 0;
  for (const Task& task : schedule.tasks)
    if (!task.steps.empty() && task.steps.back().pass.action == Action::apply) ++tasks;
  EXPECT_GE(tasks, 4);
}

TEST(RegridPlan, cutting_writes_every_element_and_padding_moves_as_many) {
  for (const int ranks : {1, 2, 3, 5}) {
    const Layout small = Layout::cyclic({7, 5}, {ranks, 1}, ranks), large = Layout::blocks({12, 8}, {1, ranks}, ranks);
    const IndexRuns runs{{{0, 0, 4}, {4, 9, 3}}, {{0, 0, 3}, {3, 6, 2}}};
    for (const Data data : {Data::complex_, Data::real_})
      for (const Exchange exchange : {Exchange::views, Exchange::messages}) {
        const auto between = plan_regrid(small, large, runs, data, {.exchange = exchange});
        validate(between->schedule(Direction::backward));
        Index there = 0, back = 0;
        for (int rank = 0; rank < ranks; ++rank) {
          there += between->rank_schedule(rank, Direction::forward).words_sent();
          back += between->rank_schedule(rank, Direction::backward).words_sent();
        }
        EXPECT_EQ(there, back);
      }
  }
  EXPECT_THROW(plan_regrid(Layout::blocks({4}, {2}, 2), Layout::blocks({6}, {3}, 3), {{{0, 0, 4}}}, Data::real_),
               Error);
  EXPECT_THROW(plan_regrid(Layout::blocks({4}, {2}, 2), Layout::blocks({6, 1}, {2, 1}, 2), {{{0, 0, 4}}}, Data::real_),
               Error);
}

}  // namespace
}  // namespace kallima
