// What a device makes of a task's steps: passes without repeats where iterations do not depend on each other, and
// transforms of whole arrays where passes amount to one. All of it without a device.

#include "cuda/model/spread_task.hpp"

#include <gtest/gtest.h>

#include "cuda/model/whole_run.hpp"
#include "kallima/plan.hpp"
#include "plan/rewrite/rewrite.hpp"

namespace kallima::cuda {
namespace {

const Task& first_computation(const RankSchedule& schedule) {
  for (const Task& task : schedule.tasks)
    if (task.kind == TaskKind::compute) return task;
  throw Error("there is none");
}

RankSchedule schedule_of(const Problem& problem, int ranks, Direction direction = Direction::forward) {
  return plan(problem, ranks)->rank_schedule(0, direction);
}

// A repeat of 8 passes over lines of 4 that begin `stride` apart.
std::vector<Step> repeated(Index stride, Index target_stride) {
  Pass pass{.length = 4,
            .sources = {{.buffer = Buffer::work, .count = 4, .strides = {stride}}},
            .targets = {{.buffer = Buffer::work, .count = 4, .strides = {target_stride}}}};
  return {{.repeat = 8, .body = {{.pass = pass}}}};
}

TEST(spread, iterations_that_touch_different_lines_become_a_loop) {
  const auto passes = spread(repeated(4, 4));
  ASSERT_TRUE(passes);
  ASSERT_EQ(passes->size(), 1u);
  EXPECT_EQ((*passes)[0].loops, std::vector<Index>{8});
}

TEST(spread, iterations_that_share_memory_stay_in_order) {
  EXPECT_FALSE(spread(repeated(0, 0)));  // a scratch line that each uses again
  EXPECT_FALSE(spread(repeated(2, 2)));  // lines that overlap
  EXPECT_FALSE(spread(repeated(4, 8)));  // one reads what another has written
}

TEST(spread, planes_that_change_take_two_arrays) {
  std::vector<Step> steps = repeated(4, 8);
  Pass& pass = steps[0].body[0].pass;
  pass.sources[0].buffer = Buffer::in;
  pass.targets[0].buffer = Buffer::out;
  EXPECT_FALSE(spread(steps, Callers::maybe_one));
  const auto two = spread_task(steps);
  ASSERT_TRUE(two);
  EXPECT_EQ(two->arrays, Callers::two);
  EXPECT_EQ(two->passes[0].loops, std::vector<Index>{8});
  EXPECT_EQ(spread_task(repeated(4, 4))->arrays, Callers::maybe_one);
  EXPECT_FALSE(spread_task(repeated(4, 8)));
}

TEST(spread, a_repeated_twiddle_keeps_its_loop) {
  std::vector<Step> steps = repeated(64, 64);
  Pass& pass = steps[0].body[0].pass;
  pass.loops = {16};
  for (auto* pieces : {&pass.sources, &pass.targets}) (*pieces)[0].strides = {64, 4};
  pass.twiddle = {.modulus = 64, .step = 1, .loop = 0};
  const auto passes = spread(steps);
  ASSERT_TRUE(passes);
  EXPECT_EQ((*passes)[0].twiddle.loop, 1);
  EXPECT_EQ((*passes)[0].loops, (std::vector<Index>{8, 16}));
}

TEST(whole_run, a_local_transform_is_one_of_the_whole_array) {
  const RankSchedule schedule = schedule_of({.shape = {8, 12, 10}}, 1);
  const auto passes = spread(first_computation(schedule).steps);
  ASSERT_TRUE(passes);
  const WholeRun run = whole_run(*passes, Precision::double_, Direction::forward);
  EXPECT_EQ(run.passes, passes->size());
  EXPECT_EQ(run.problem.shape, (Shape{8, 12, 10}));
  EXPECT_EQ(run.problem.axes, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(run.problem.sign, -1);
  EXPECT_TRUE(run.scaled);
}

// A processor goes through planes of the second, one by one.
TEST(whole_run, half_a_spectrum_is_recognised) {
  for (const Shape& shape : {Shape{6, 9, 16}, Shape{6, 64, 130}}) {
    const RankSchedule schedule = schedule_of({.shape = shape, .data = Data::real_}, 1);
    const auto task = spread_task(first_computation(schedule).steps);
    ASSERT_TRUE(task);
    const WholeRun run = whole_run(task->passes, Precision::single_, Direction::forward);
    EXPECT_EQ(run.passes, 3u);
    EXPECT_EQ(run.problem.kind, TransformKind::r2c);
    EXPECT_EQ(run.problem.shape, shape);
    EXPECT_EQ(run.problem.axes, (std::vector<int>{0, 1, 2}));
  }
}

// Where there are kernels of our own: what cuFFT makes of other spectra than those of reals is not what we do.
TEST(whole_run, the_way_back_to_reals_is_recognised_where_there_are_tiles) {
  for (const Placement placement : {Placement::out_of_place, Placement::in_place})
    for (const Index n : {256, 128}) {
      const RankSchedule schedule = plan({.shape = {n, n, n}, .data = Data::real_}, 1, {.placement = placement})
                                        ->rank_schedule(0, Direction::backward);
      const auto task = spread_task(first_computation(schedule).steps);
      ASSERT_TRUE(task);
      const WholeRun run = whole_run(task->passes, Precision::double_, Direction::backward);
      EXPECT_EQ(run.passes, n == 256 ? 3u : 2u);
      EXPECT_EQ(run.problem.kind, n == 256 ? TransformKind::c2r : TransformKind::c2c);
      EXPECT_EQ(run.problem.sign, 1);
      EXPECT_EQ(run.from.buffer, Buffer::in);
      EXPECT_EQ(run.to.real && run.scaled && run.problem.shape == Shape(3, n), n == 256);
    }
}

TEST(whole_run, axes_that_are_not_transformed_are_left_out) {
  const RankSchedule schedule = schedule_of({.shape = {8, 12, 10}, .axes = {0, 2}}, 1);
  const auto passes = spread(first_computation(schedule).steps);
  ASSERT_TRUE(passes);
  const WholeRun run = whole_run(*passes, Precision::double_, Direction::forward);
  EXPECT_EQ(run.problem.axes, (std::vector<int>{0, 2}));
}

// Out of place and in place, forward and backward.
TEST(whole_run, a_long_line_is_one_transform) {
  for (const Placement placement : {Placement::out_of_place, Placement::in_place})
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      const RankSchedule schedule =
          plan({.shape = {1 << 20}}, 1, {.placement = placement})->rank_schedule(0, direction);
      const auto passes = spread(first_computation(schedule).steps);
      ASSERT_TRUE(passes);
      ASSERT_EQ(passes->size(), 2u);
      const WholeRun run = whole_run(*passes, Precision::double_, direction);
      EXPECT_EQ(run.passes, 2u);
      EXPECT_EQ(run.problem.shape, Shape{1 << 20});
      EXPECT_EQ(run.problem.sign, direction == Direction::forward ? -1 : 1);
      EXPECT_TRUE(run.scaled);
      auto turned = *passes;
      turned[0].twiddle.step = 3;
      EXPECT_EQ(whole_run(turned, Precision::double_, direction).passes, 0u);
    }
}

TEST(whole_run, many_lines_are_one_transform_and_few_are_none) {
  for (const Index lines : {4, 4096}) {
    const RankSchedule schedule = schedule_of({.shape = {lines, 256}, .axes = {1}}, 1);
    const auto passes = spread(first_computation(schedule).steps);
    ASSERT_TRUE(passes);
    const WholeRun run = whole_run(*passes, Precision::double_, Direction::forward);
    EXPECT_EQ(run.passes, lines == 4 ? 0u : 1u);
    EXPECT_EQ(run.problem.axes, lines == 4 ? std::vector<int>{} : std::vector<int>{1});
  }
}

TEST(whole_product, factors_between_two_transforms_are_seen) {
  for (const Shape& shape : {Shape{32, 64, 128}, Shape{1 << 20}}) {
    const auto planned = plan({.shape = shape}, 1);
    const RankSchedule schedule = in_one_task(applied_schedule(*planned, 0, ApplyBy::factors).tasks);
    ASSERT_EQ(schedule.tasks.size(), 1u);
    const auto passes = spread(schedule.tasks[0].steps);
    ASSERT_TRUE(passes);
    const WholeProduct product = whole_product(*passes, Precision::double_, Direction::forward);
    EXPECT_EQ(product.passes, passes->size());
    EXPECT_EQ(product.problem.shape, shape);
    EXPECT_EQ(product.problem.sign, -1);
    EXPECT_EQ(product.from.buffer, Buffer::in);
    EXPECT_EQ(product.factors.buffer, Buffer::kept);
    EXPECT_EQ(product.to.buffer, Buffer::out);
    EXPECT_TRUE(product.scaled);
    auto shifted = *passes;
    for (Pass& pass : shifted)
      if (pass.action == Action::multiply) pass.loops.back() -= 1;  // some of the spectrum is left as it is
    EXPECT_EQ(whole_product(shifted, Precision::double_, Direction::forward).passes, 0u);
  }
}

TEST(whole_run, passes_with_twiddles_are_none) {
  const RankSchedule schedule = schedule_of({.shape = {16, 16}}, 2);
  const auto passes = spread(first_computation(schedule).steps);
  ASSERT_TRUE(passes);
  EXPECT_EQ(whole_run(*passes, Precision::double_, Direction::forward).passes, 0u);
}

}  // namespace
}  // namespace kallima::cuda
