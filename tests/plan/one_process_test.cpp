// Ranks that are threads of a process read each other's arrays where they stand: nothing is packed, and what can be
// done while a block is unpacked waits until then.

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "kallima/plan.hpp"
#include "schedule/walk.hpp"

namespace kallima {
namespace {

const PlanOptions threads{.one_process = true};

void expect_valid(const Plan& plan) {
  const Aliasing one = plan.options().placement == Placement::in_place ? Aliasing::in_is_out : Aliasing::separate;
  for (const Direction direction : {Direction::forward, Direction::backward})
    EXPECT_NO_THROW(validate(plan.schedule(direction), one)) << plan.explanation();
}

Index count(const RankSchedule& rank, TaskKind kind) { return std::ranges::count(rank.tasks, kind, &Task::kind); }

bool sends_from(const RankSchedule& rank, Buffer buffer) {
  return std::ranges::any_of(rank.tasks,
                             [&](const Task& t) { return t.kind == TaskKind::send_start && t.range.buffer == buffer; });
}

Problem there_and_back(const Shape& shape, Shape grid, int ranks, Data data = Data::complex_) {
  return {.shape = shape, .data = data, .in = Layout::blocks(shape, std::move(grid), ranks)};
}

TEST(OneProcess, slabs_there_and_back_are_two_tasks_and_one_array) {
  const Problem problem = there_and_back({24, 20, 18}, {4, 1, 1}, 4);
  for (const Placement placement : {Placement::out_of_place, Placement::in_place}) {
    PlanOptions options = threads;
    options.placement = placement;
    const auto p = plan(problem, 4, options);
    EXPECT_EQ(p->exchanges(), 2) << p->explanation();
    for (const RankSchedule& rank : p->schedule(Direction::forward).ranks) {
      EXPECT_EQ(count(rank, TaskKind::compute), 2);
      EXPECT_EQ(count(rank, TaskKind::copy), 0);
      EXPECT_EQ(rank.workspace(), p->layout_in().local_size(rank.rank));
      EXPECT_TRUE(sends_from(rank, placement == Placement::in_place ? Buffer::out : Buffer::in));
      EXPECT_EQ(rank.words_sent(), 2 * 24 * 20 * 18 / 4 * 3 / 4);  // what others want of it, whatever lies between
    }
    expect_valid(*p);
  }
}

TEST(OneProcess, views_of_the_work_buffer_alone_are_packed) {
  const auto p = plan(there_and_back({24, 20, 18}, {4, 1, 1}, 4), 4);
  for (const RankSchedule& rank : p->schedule(Direction::forward).ranks) {
    EXPECT_FALSE(sends_from(rank, Buffer::in) || sends_from(rank, Buffer::out));
    EXPECT_GT(count(rank, TaskKind::compute) + count(rank, TaskKind::copy), 2);
  }
}

// Of two dimensions one index of the first has a single row for each result of its butterfly.
TEST(OneProcess, rows_of_two_dimensions_are_transformed_as_many_at_a_time_as_fill_vectors) {
  PlanOptions options = threads;
  options.route = "cyclic";
  for (const Index n : {64, 100, 512})
    for (const RankSchedule& rank : plan({.shape = {n, n}}, 2, options)->schedule(Direction::forward).ranks) {
      Index rows = 0;
      for (Task task : rank.tasks)
        checks::visit_passes(task.steps, [&](const Pass& pass) {
          if (pass.action != Action::transform || pass.length != n) return;
          EXPECT_GE(element_count(pass.loops), 16) << n;
          ++rows;
        });
      EXPECT_GT(rows, 0) << n;
    }
}

// Planes of the fastest slot would leave single elements of what stands side by side.
TEST(OneProcess, planes_have_neighbours) {
  const Shape shape{72, 140, 66};
  for (const Data data : {Data::complex_, Data::real_})
    for (const Shape& grid : {Shape{3, 1, 1}, Shape{1, 3, 1}, Shape{1, 1, 3}}) {
      const auto p = plan(there_and_back(shape, grid, 3, data), 3, threads);
      for (const Direction direction : {Direction::forward, Direction::backward}) {
        const Schedule schedule = p->schedule(direction);
        for (const Task& task : schedule.ranks.front().tasks)
          for (const Step& planes : task.steps)
            for (const Step& each : planes.body)
              for (const Piece& to : each.pass.targets)
                EXPECT_TRUE(to.stride == 1 || std::ranges::count(std::span(to.strides).subspan(1), 1) > 0)
                    << p->explanation();
      }
      expect_valid(*p);
    }
}

// What has to be done where reals are halved anyway, and not at one more stop.
TEST(OneProcess, reals_from_the_halved_axis_are_two_tasks) {
  const auto p = plan(there_and_back({72, 140, 66}, {1, 1, 3}, 3, Data::real_), 3, threads);
  const Schedule schedule = p->schedule(Direction::forward);
  for (const RankSchedule& rank : schedule.ranks) {
    std::vector<std::size_t> sweeps;
    for (const Task& task : rank.tasks)
      if (task.kind == TaskKind::compute) sweeps.push_back(task.steps.size());
    EXPECT_EQ(sweeps, (std::vector<std::size_t>{1, 1})) << p->explanation();
  }
}

TEST(OneProcess, a_redistribution_is_one_copy) {
  const Shape shape{12, 10};
  const auto p =
      plan_redistribution(Layout::blocks(shape, {5, 1}, 5), Layout::blocks(shape, {1, 5}, 5), Data::real_, threads);
  for (const RankSchedule& rank : p->schedule(Direction::forward).ranks) {
    EXPECT_EQ(rank.workspace(), 0);
    Index moved = 0;
    for (const Task& task : rank.tasks)
      if (task.kind == TaskKind::copy) moved += task.elements;
    EXPECT_EQ(moved, p->layout_out().local_size(rank.rank));  // reals, read and written
  }
  expect_valid(*p);
}

// In place nobody could write the result before all others have read what stands there, and they could not either.
TEST(OneProcess, one_exchange_in_place_is_packed) {
  const Shape shape{12, 10};
  PlanOptions options = threads;
  options.placement = Placement::in_place;
  const auto p = plan({.shape = shape, .in = Layout::blocks(shape, {5, 1}, 5), .out = Layout::blocks(shape, {1, 5}, 5)},
                      5, options);
  ASSERT_EQ(p->exchanges(), 1);
  for (const RankSchedule& rank : p->schedule(Direction::forward).ranks) EXPECT_FALSE(sends_from(rank, Buffer::out));
  expect_valid(*p);
}

TEST(OneProcess, other_layouts_kinds_and_ways_are_valid) {
  const auto real = Data::real_;
  for (const Problem& problem :
       {there_and_back({12, 10, 9}, {3, 2, 1}, 6), there_and_back({12, 10, 9}, {2, 2, 2}, 8),
        there_and_back({12, 10, 9}, {5, 1, 1}, 5, real), there_and_back({12, 10, 9}, {2, 3, 1}, 6, real),
        there_and_back({13, 11}, {7, 1}, 7), there_and_back({60}, {6}, 6), there_and_back({64, 3}, {1, 3}, 3, real),
        Problem{.shape = {9, 8, 7}, .kinds = {Kind::dct2, Kind::fourier, Kind::dst1}},
        Problem{.shape = {40}, .data = real}, Problem{.shape = {8, 8, 8}, .output = Output::any}})
    for (const Placement placement : {Placement::out_of_place, Placement::in_place})
      for (const Index chunks : {0, 1, 3}) {
        PlanOptions options = threads;
        options.placement = placement;
        options.chunks = chunks;
        const int ranks = problem.in ? problem.in->ranks() : 4;
        expect_valid(*plan(problem, ranks, options));
      }
}

TEST(OneProcess, threads_take_what_is_fastest_however_often_it_exchanges) {
  const Problem problem{.shape = {256, 256, 256}};
  EXPECT_EQ(plan(problem, 2, threads)->exchanges(), 2);
  EXPECT_EQ(plan(problem, 2, {})->exchanges(), 1);
}

}  // namespace
}  // namespace kallima
