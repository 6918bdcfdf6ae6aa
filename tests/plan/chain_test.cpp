// Problems whose layouts, data and kinds the caller chooses: how many exchanges they take, what these move, and that
// every schedule is valid.

#include <gtest/gtest.h>

#include "kallima/plan.hpp"

namespace kallima {
namespace {

void expect_valid(const Plan& plan) {
  for (const Direction direction : {Direction::forward, Direction::backward})
    EXPECT_NO_THROW(validate(plan.schedule(direction))) << plan.explanation();
}

Index words_of_all(const Plan& plan) {
  Index words = 0;
  for (const RankSchedule& rank : plan.schedule(Direction::forward).ranks) words += rank.words_sent();
  return words;
}

TEST(Chain, pencils_to_pencils_take_two_exchanges) {
  const Shape shape{24, 20, 18};
  const Problem problem{
      .shape = shape, .in = Layout::blocks(shape, {4, 3, 1}, 12), .out = Layout::blocks(shape, {1, 4, 3}, 12)};
  const auto p = plan(problem, 12);
  EXPECT_EQ(p->exchanges(), 2) << p->explanation();
  EXPECT_EQ(p->layout_out(), *problem.out);
  expect_valid(*p);
}

TEST(Chain, whole_lines_everywhere_take_no_exchange) {
  const Problem problem{.shape = {12, 5}, .axes = {1}, .data = Data::real_, .in = Layout::blocks({12, 5}, {4, 1}, 4)};
  const auto p = plan(problem, 4);
  EXPECT_EQ(p->exchanges(), 0);
  EXPECT_EQ(p->layout_out(), Layout::blocks({12, 3}, {4, 1}, 4));
  expect_valid(*p);
}

TEST(Chain, reals_take_one_exchange_of_half_the_words_where_the_cyclic_route_applies) {
  const Problem complex{.shape = {16, 16, 16}}, real{.shape = {16, 16, 16}, .data = Data::real_};
  const auto c = plan(complex, 4), r = plan(real, 4);
  EXPECT_EQ(r->exchanges(), 1) << r->explanation();
  EXPECT_EQ(r->layout_out(), Layout::cyclic({16, 16, 9}, {4, 1, 1}, 4));
  EXPECT_EQ(words_of_all(*r) * 16, words_of_all(*c) * 9);
  expect_valid(*r);
}

TEST(Chain, one_axis_from_blocks_to_blocks_takes_three_exchanges_and_saves_one_for_each_free_end) {
  const Layout blocks = Layout::blocks({4096}, {8}, 8);
  EXPECT_EQ(plan({.shape = {4096}, .in = blocks, .out = blocks}, 8)->exchanges(), 3);
  EXPECT_EQ(plan({.shape = {4096}, .output = Output::any, .in = blocks}, 8)->exchanges(), 2);
  EXPECT_EQ(plan({.shape = {4096}, .out = blocks}, 8)->exchanges(), 2);
  EXPECT_EQ(plan({.shape = {4096}, .output = Output::any}, 8)->exchanges(), 1);
}

TEST(Chain, an_output_in_the_layout_of_the_input_is_like_it_when_halved) {
  const Shape shape{8, 6, 10};
  const Problem problem{.shape = shape, .data = Data::real_, .in = Layout::blocks(shape, {2, 3, 1}, 6)};
  const auto p = plan(problem, 6);
  EXPECT_EQ(p->layout_in(), *problem.in);
  EXPECT_EQ(p->layout_out(), Layout::blocks({8, 6, 6}, {2, 3, 1}, 6));
  expect_valid(*p);
}

// What a rank does at once: how often, and which kinds of passes.
std::vector<std::pair<Index, std::vector<Kind>>> sweeps(const Plan& plan, Direction direction) {
  std::vector<std::pair<Index, std::vector<Kind>>> all;
  const Schedule schedule = plan.schedule(direction);
  for (const Task& task : schedule.ranks.at(0).tasks)
    for (const Step& step : task.steps) {
      all.push_back({step.repeat, {}});
      for (const Step& each : step.body) all.back().second.push_back(each.pass.kind);
      if (step.body.empty()) all.back().second.push_back(step.pass.kind);
    }
  return all;
}

TEST(Chain, planes_of_reals_are_transformed_while_they_are_in_a_cache) {
  using Sweeps = std::vector<std::pair<Index, std::vector<Kind>>>;
  constexpr Kind halves = Kind::real_to_half, fourier = Kind::fourier, reals = Kind::half_to_real;
  for (const bool all_axes : {true, false}) {
    Problem problem{.shape = {6, 64, 130}, .data = Data::real_};
    if (!all_axes) problem.axes = {1, 2};
    const auto p = plan(problem, 1);
    Sweeps forward{{6, {halves, fourier}}}, backward{{6, {fourier, reals}}};
    if (all_axes) forward.push_back({1, {fourier}}), backward.insert(backward.begin(), {1, {fourier}});
    EXPECT_EQ(sweeps(*p, Direction::forward), forward) << p->explanation();
    EXPECT_EQ(sweeps(*p, Direction::backward), backward) << p->explanation();
    expect_valid(*p);
  }
}

// Half spectra are longer than the rows of reals that they are made of, and these may be padded.
TEST(Chain, planes_of_reals_are_valid_in_place) {
  const Shape shape{6, 64, 130};
  PlanOptions options;
  options.placement = Placement::in_place;
  for (const Index padding : {0, 2, 3})
    for (const int ranks : {2, 3}) {
      Problem problem{
          .shape = shape, .axes = {1, 2}, .data = Data::real_, .in = Layout::blocks(shape, {1, 1, ranks}, ranks)};
      problem.out = Layout::blocks({6, 64, 66}, {ranks, 1, 1}, ranks);
      problem.storage_in.padding = {0, 0, padding};
      const auto p = plan(problem, ranks, options);
      ASSERT_EQ(p->options().placement, Placement::in_place);
      for (const Direction direction : {Direction::forward, Direction::backward})
        EXPECT_NO_THROW(validate(p->schedule(direction), Aliasing::in_is_out)) << padding << " " << ranks;
    }
}

// Where the caller asks for no layout: 126 is dealt out to 16 more evenly than 250, but to 8 neighbours each. 70 is
// dealt out to two more evenly than 81, but to 35 neighbours each, where whole rows of 75 times 36 can stay together.
TEST(Chain, ranks_hold_rows_of_neighbours) {
  const auto small = plan({.shape = {81, 75, 70}, .data = Data::real_}, 2, {.one_process = true});
  EXPECT_EQ(small->layout_in().text(), Layout::blocks({81, 75, 70}, {2, 1, 1}, 2).text()) << small->explanation();
  for (const int ranks : {2, 16}) {
    const auto p =
        plan({.shape = {240, 250, 250}, .data = Data::real_}, ranks, {.route = "pencil", .one_process = true});
    EXPECT_TRUE(p->explanation().ends_with("[126: whole] on " + std::to_string(ranks) + " ranks")) << p->explanation();
    EXPECT_EQ(p->explanation().find("[126: block"), std::string::npos) << p->explanation();
  }
}

TEST(Chain, any_axis_may_be_the_halved_one) {
  for (const std::vector<int>& axes : {std::vector{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {-1, -2}}) {
    const Problem problem{.shape = {6, 7, 9}, .axes = axes, .data = Data::real_};
    Shape half = problem.shape;
    Index& n = half[static_cast<std::size_t>((axes.back() + 3) % 3)];
    n = n / 2 + 1;
    const auto p = plan(problem, 5);
    EXPECT_EQ(p->layout_out().shape(), half);
    expect_valid(*p);
  }
}

TEST(Chain, cosines_stay_real_and_mix_with_fourier_axes) {
  const Problem cosines{.shape = {6, 9}, .data = Data::real_, .kinds = {Kind::dct2, Kind::dst1}};
  EXPECT_EQ(plan(cosines, 3)->data_out(), Data::real_);
  EXPECT_EQ(transformed_count(cosines), 12 * 20);
  expect_valid(*plan(cosines, 3));
  const Problem mixed{.shape = {6, 9}, .data = Data::real_, .kinds = {Kind::fourier, Kind::dct4}};
  EXPECT_EQ(plan(mixed, 3)->data_out(), Data::complex_);
  EXPECT_EQ(plan(mixed, 3)->layout_out().shape(), (Shape{4, 9}));
  expect_valid(*plan(mixed, 3));
}

TEST(Chain, more_ranks_than_lines_and_extents_of_one_are_valid) {
  for (const Shape& shape : std::vector<Shape>{{1}, {1, 1, 1}, {2, 3}, {13}, {1, 17, 1}, {5, 1, 2, 3}})
    for (const Data data : {Data::complex_, Data::real_})
      for (const int ranks : {1, 3, 7, 12}) {
        const Problem problem{.shape = shape, .data = data, .in = Layout::cyclic(shape, Shape(shape.size(), 1), ranks)};
        expect_valid(*plan(problem, ranks));
      }
}

TEST(Chain, messages_in_parts_are_valid) {
  const Shape shape{12, 10, 8};
  for (const Index chunks : {1, 3, 5, 50})
    for (const Output output : {Output::same, Output::any}) {
      const Problem problem{.shape = shape, .output = output, .in = Layout::blocks(shape, {3, 2, 1}, 6)};
      expect_valid(*plan(problem, 6, {.chunks = chunks, .exchange = Exchange::messages}));
    }
}

TEST(Chain, a_redistribution_sends_what_changes_hands_and_nothing_else) {
  const Shape shape{9, 8};
  const Layout from = Layout::blocks(shape, {4, 1}, 4), to = Layout::cyclic(shape, {2, 2}, 4);
  Index moving = 0;
  for (Index i = 0; i < 9; ++i)
    for (Index j = 0; j < 8; ++j) moving += from.owner(Shape{i, j}) != to.owner(Shape{i, j}) ? 1 : 0;
  const auto p = plan_redistribution(from, to, Data::complex_);
  EXPECT_EQ(words_of_all(*p), moving);
  expect_valid(*p);
  EXPECT_EQ(words_of_all(*plan_redistribution(from, from, Data::complex_)), 0);
  EXPECT_THROW(plan_redistribution(from, Layout::blocks({9, 9}, {2, 2}, 4), Data::complex_), Error);
  EXPECT_THROW(plan_redistribution(from, Layout::blocks(shape, {2, 2}, 5), Data::complex_), Error);
}

TEST(Chain, padding_and_order_are_the_callers) {
  const Shape shape{6, 5, 4};
  const Problem problem{.shape = shape,
                        .data = Data::real_,
                        .in = Layout::blocks(shape, {3, 1, 1}, 3),
                        .storage_in = {.padding = {0, 0, 2}},
                        .storage_out = {.order = {2, 0, 1}, .padding = {1, 0, 0}}};
  const auto p = plan(problem, 3);
  const RankSchedule first = p->rank_schedule(0, Direction::forward);
  EXPECT_EQ(first.size(Buffer::in), 2 * 5 * 6);
  EXPECT_EQ(first.size(Buffer::out), (2 + 1) * 5 * 3);
  EXPECT_EQ(first.padding_out, 5 * 3);
  expect_valid(*p);
  EXPECT_EQ(strides_of(problem.storage_out, {2, 5, 3}), (std::vector<Index>{5, 1, 15}));
}

TEST(Chain, what_makes_no_sense_is_refused) {
  const Shape shape{8, 6};
  EXPECT_THROW(plan({.shape = shape, .in = Layout::blocks({8, 7}, {2, 1}, 2)}, 2), Error);
  EXPECT_THROW(plan({.shape = shape, .in = Layout::blocks(shape, {2, 1}, 2)}, 3), Error);
  EXPECT_THROW(plan({.shape = shape, .data = Data::real_, .out = Layout::blocks(shape, {2, 1}, 2)}, 2), Error);
  EXPECT_THROW(plan({.shape = shape, .kinds = {Kind::dct1}}, 2), Error);
  EXPECT_THROW(plan({.shape = {8, 1}, .data = Data::real_, .kinds = {Kind::dct1, Kind::dct1}}, 2), Error);
  EXPECT_THROW(plan({.shape = shape, .kinds = {Kind::real_to_half, Kind::fourier}}, 2), Error);
  EXPECT_THROW(plan({.shape = shape, .storage_in = {.order = {0, 0}}}, 2), Error);
  EXPECT_THROW(plan({.shape = shape, .storage_out = {.padding = {0, -1}}}, 2), Error);
}

}  // namespace
}  // namespace kallima
