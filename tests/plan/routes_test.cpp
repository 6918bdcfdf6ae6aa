#include <gtest/gtest.h>

#include <numeric>

#include "kallima/plan.hpp"
#include "must_apply.hpp"
#include "sample.hpp"

namespace kallima {
namespace {

const std::vector<Shape> shapes{{1},       {16},       {36},         {97},         {1000},    {4096},    {6, 4},
                                {8, 8},    {3, 64},    {64, 48},     {31, 33},     {1, 7, 1}, {4, 4, 4}, {9, 5, 7},
                                {8, 1, 8}, {16, 9, 4}, {2, 3, 4, 5}, {4, 4, 4, 4}, {32768},   {2, 32768}};

std::vector<PlanOptions> all_options(const std::string& route) {
  std::vector<PlanOptions> all;
  if (route == "pencil" || route == "line") {  // have one order, and are never in place
    for (const Index chunks : {0, 1, 3})
      for (const Exchange exchange : {Exchange::views, Exchange::messages})
        all.push_back({.route = route, .chunks = chunks, .exchange = exchange});
    return all;
  }
  for (const Index chunks : {0, 1, 3})
    for (const Order order : {Order::chunk_first, Order::destination_first})
      for (const Exchange exchange : {Exchange::views, Exchange::messages})
        for (const Placement placement : {Placement::out_of_place, Placement::in_place})
          all.push_back(
              {.route = route, .chunks = chunks, .order = order, .exchange = exchange, .placement = placement});
  return all;
}

void expect_valid(const Plan& plan) {
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const Schedule schedule = plan.schedule(direction);
    const bool in_place = plan.options().placement == Placement::in_place;
    EXPECT_NO_THROW(validate(schedule, in_place ? Aliasing::in_is_out : Aliasing::separate))
        << text(plan.problem().shape) << ", " << plan.explanation();
  }
}

TEST(Routes, slices_along_a_batch_that_no_number_divides_are_valid) {
  for (const Index slices : {0, 1, 6})
    for (const Placement placement : {Placement::out_of_place, Placement::in_place})
      expect_valid(*plan({.shape = {4, 43, 2, 1}, .axes = {0, 2, 3}}, 2,
                         {.slices = slices, .exchange = Exchange::messages, .placement = placement}));
}

TEST(Routes, reals_are_relayed_like_complex_numbers) {
  expect_valid(*plan({.shape = {32, 4, 2}, .axes = {1, 2, 0}, .data = Data::real_}, 3,
                     {.chunks = 5, .alltoall = Alltoall::bruck, .overlap = Overlap::on}));
  expect_valid(*plan({.shape = {8, 32}, .output = Output::any, .data = Data::real_}, 9,
                     {.order = Order::destination_first,
                      .exchange = Exchange::messages,
                      .alltoall = Alltoall::bruck,
                      .overlap = Overlap::on}));
}

TEST(Routes, every_schedule_of_every_route_is_valid) {
  int checked_plans = 0;
  Sample sample(11);
  for (const auto& [route, summary] : route_names())
    for (const Shape& shape : shapes)
      for (const int ranks : {1, 2, 3, 4, 6, 7, 8})
        for (const PlanOptions& options : all_options(route))
          for (const Output output : {Output::same, Output::any}) {
            if (output == Output::any && ranks % 3 != 1) continue;                  // of one, four and seven ranks
            if (element_count(shape) > 4096 && ranks != 3 && ranks != 8) continue;  // these take a while
            if (!sample.takes()) continue;
            const auto p = plan_unless_excused({.shape = shape, .output = output}, ranks, options);
            if (!p || (output == Output::any && p->layout_in() == p->layout_out())) continue;
            ++checked_plans;
            ASSERT_NO_FATAL_FAILURE(expect_valid(*p));
          }
  EXPECT_GT(checked_plans, 1000 / sample.one_in());
}

TEST(Routes, trees_of_several_radices_are_valid) {
  for (const auto& [shape, ranks, chunks, radices] :
       std::vector<std::tuple<Shape, int, Index, std::vector<Index>>>{{{256}, 4, 4, {2, 2, 2, 2}},
                                                                      {{256}, 4, 4, {4, 4}},
                                                                      {{1296}, 6, 2, {2, 3, 2}},
                                                                      {{64, 6}, 4, 2, {2, 4}},
                                                                      {{5, 64}, 2, 4, {2, 2, 2}},
                                                                      {{65536}, 4, 8, {2, 2, 2, 2, 2}}})
    for (PlanOptions options : all_options("cyclic")) {
      options.chunks = chunks;
      options.radices = radices;
      ASSERT_NO_FATAL_FAILURE(expect_valid(*plan({.shape = shape}, ranks, options)));
    }
}

TEST(Routes, auto_always_finds_a_plan) {
  Sample sample(3);
  for (const Shape& shape : shapes)
    for (int ranks = 1; ranks <= 13; ++ranks) {
      if (!sample.takes()) continue;
      const auto p = plan({.shape = shape}, ranks);
      EXPECT_EQ(p->layout_in().shape(), shape);
      EXPECT_EQ(p->layout_in(), p->layout_out()) << "the default is the layout the data came in";
    }
}

TEST(Routes, auto_uses_every_rank_it_can) {
  EXPECT_EQ(plan({.shape = {256, 256, 256}}, 16)->layout_in().active_ranks(), 16);
  EXPECT_EQ(plan({.shape = {1000}}, 6)->layout_in().active_ranks(), 5);
  EXPECT_EQ(plan({.shape = {97}}, 7)->layout_in().active_ranks(), 1);
  EXPECT_EQ(plan({.shape = {64, 48}}, 7)->layout_in().active_ranks(), 7);
  EXPECT_EQ(plan({.shape = {5, 97}, .axes = {1}}, 5)->exchanges(), 0);
}

TEST(Cyclic, sends_exactly_its_share_once) {
  for (const auto& [shape, ranks] : std::vector<std::pair<Shape, int>>{
           {{4096}, 2}, {{4096}, 8}, {{36}, 6}, {{64, 48}, 4}, {{16, 16, 16}, 8}, {{9, 25, 7}, 15}, {{49, 4}, 7}})
    for (const PlanOptions& options : all_options("cyclic")) {
      const auto p = plan({.shape = shape}, ranks, options);
      EXPECT_EQ(p->exchanges(), 1);
      const Index mine = element_count(shape) / ranks;
      for (int rank = 0; rank < ranks; ++rank)
        EXPECT_EQ(p->rank_schedule(rank, Direction::forward).words_sent(), mine - mine / ranks);
    }
}

TEST(Cyclic, every_rank_sends_to_a_different_one_at_every_step) {
  for (const int ranks : {2, 3, 4, 5, 6, 7, 8, 12}) {
    const auto p = plan({.shape = {Index{ranks} * ranks * 4, 3}}, ranks,
                        {.route = "cyclic", .chunks = 2, .exchange = Exchange::messages});
    std::vector<std::vector<int>> destinations;
    for (int rank = 0; rank < ranks; ++rank) {
      destinations.emplace_back();
      for (const Task& task : p->rank_schedule(rank, Direction::forward).tasks)
        if (task.kind == TaskKind::send_start) destinations.back().push_back(task.peer);
    }
    for (std::size_t step = 0; step < destinations[0].size(); ++step) {
      std::vector<bool> taken(static_cast<std::size_t>(ranks), false);
      for (int rank = 0; rank < ranks; ++rank) {
        const int to = destinations[static_cast<std::size_t>(rank)][step];
        EXPECT_NE(to, rank);
        EXPECT_FALSE(taken[static_cast<std::size_t>(to)]) << "step " << step << " of " << ranks << " ranks";
        taken[static_cast<std::size_t>(to)] = true;
      }
    }
  }
}

// Sahay's point: with destinations first and binary splits, the first block leaves after about two passes over the
// data, not after log2(P C) of them.
TEST(Cyclic, binary_tree_sends_its_first_block_before_splitting_everything) {
  const auto p =
      plan({.shape = {65536}}, 16,
           {.route = "cyclic", .grid = {16}, .chunks = 1, .order = Order::destination_first, .radices = {2, 2, 2, 2}});
  const RankSchedule s = p->rank_schedule(3, Direction::forward);
  double before = 0, splits = 0;
  bool sent = false;
  int first_destination = -1;
  for (const Task& task : s.tasks) {
    if (task.kind == TaskKind::send_start && !sent) first_destination = task.peer;
    sent = sent || task.kind == TaskKind::send_start;
    if (task.label != "split") continue;
    splits += task.flops;
    if (!sent) before += task.flops;
  }
  EXPECT_EQ(first_destination, 12);  // the complement of 3
  EXPECT_LT(before, 0.5 * splits);
}

TEST(Routes, one_rank_of_a_plan_does_not_need_the_others) {
  const auto p = plan({.shape = {1 << 20}}, 1024, {.route = "cyclic"});
  EXPECT_LT(p->rank_schedule(17, Direction::forward).tasks.size(), 5000u);
}

void expect_refused(const Problem& problem, int ranks, const PlanOptions& options, const std::string& fragment) {
  try {
    plan(problem, ranks, options);
    FAIL() << "no error, expected one with '" << fragment << "'";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(fragment), std::string::npos) << error.what();
  }
}

TEST(Routes, bad_input_is_refused_with_the_numbers) {
  expect_refused({.shape = {}}, 1, {}, "no dimensions");
  expect_refused({.shape = {4, 0, 2}}, 1, {}, "4x0x2");
  expect_refused({.shape = {4, -3}}, 1, {}, "-3");
  expect_refused({.shape = {Index{1} << 40, Index{1} << 40}}, 1, {}, "too large");
  expect_refused({.shape = {8, 8}, .axes = {2}}, 1, {}, "axis 2");
  expect_refused({.shape = {8, 8}, .axes = {1, -1}}, 1, {}, "axis 1 is named twice");
  expect_refused({.shape = {8, 8}}, 0, {}, "0 ranks");
  expect_refused({.shape = {8, 8}}, 4, {.route = "zigzag"}, "zigzag");
  expect_refused({.shape = {8, 8}}, 4, {.route = "cyclic", .grid = {3, 1}}, "3x1");
  expect_refused({.shape = {8, 8}}, 4, {.grid = {8, 1}}, "8x1");
  expect_refused({.shape = {8, 8}}, 4, {.grid = {4}}, "the grid 4 has 1 dimensions but the shape 8x8 has 2");
  expect_refused({.shape = {8, 8}}, 4, {.route = "cyclic", .grid = {4, 1}}, "4*4 to divide its extent 8");
  expect_refused({.shape = {97}}, 4, {.route = "cyclic"}, "does not apply");
  expect_refused({.shape = {97}}, 4, {.route = "slab"}, "does not apply");
  expect_refused({.shape = {64}}, 4, {.route = "cyclic", .chunks = 2, .radices = {5}}, "multiply to 5");
  expect_refused({.shape = {64}}, 4, {.chunks = -1}, "-1 chunks");
}

TEST(Problem, negative_axes_count_from_the_end) {
  const Problem p = checked({.shape = {2, 3, 4}, .axes = {-1, 0}});
  EXPECT_EQ(p.axes, (std::vector<int>{0, 2}));
  EXPECT_EQ(transformed_count(p), 8);
  EXPECT_EQ(checked({.shape = {2, 3}}).axes, (std::vector<int>{0, 1}));
}

}  // namespace
}  // namespace kallima
