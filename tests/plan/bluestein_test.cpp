#include <gtest/gtest.h>

#include "kallima/plan.hpp"
#include "plan/routes/convolution.hpp"
#include "sample.hpp"

namespace kallima {
namespace {

std::unique_ptr<Plan> bluestein(const Problem& problem, int ranks, PlanOptions options = {}) {
  options.route = "bluestein";
  return plan(problem, ranks, options);
}

std::unique_ptr<Plan> bluestein(Index n, int ranks) { return bluestein(Problem{.shape = {n}}, ranks); }

Problem reals(Index n) { return {.shape = {n}, .data = Data::real_}; }

// Both directions, for separate arrays and in place, as views and by messages: three of these eight or, of the next
// problem, the next three.
void expect_valid(const Problem& problem, int ranks) {
  static Sample sample(3);
  for (const Exchange exchange : {Exchange::views, Exchange::messages})
    for (const Placement placement : {Placement::out_of_place, Placement::in_place})
      for (const Direction direction : {Direction::forward, Direction::backward}) {
        if (!sample.takes()) continue;
        const auto p = bluestein(problem, ranks, {.exchange = exchange, .placement = placement});
        const bool in_place = placement == Placement::in_place;
        ASSERT_NO_THROW(validate(p->schedule(direction), in_place ? Aliasing::in_is_out : Aliasing::separate))
            << p->explanation();
      }
}

TEST(Bluestein, schedules_are_valid_for_any_length_and_rank_count) {
  for (const Index n : {2, 3, 10, 31, 101, 1009, 2 * 1009})
    for (const int ranks : {2, 3, 4, 5, 7, 12}) expect_valid({.shape = {n}}, ranks);
}

TEST(Bluestein, schedules_of_reals_are_valid_for_any_length_and_rank_count) {
  for (const Index n : {2, 3, 4, 5, 7, 10, 11, 13, 31, 101, 1009, 2 * 1009})
    for (const int ranks : {2, 3, 4, 5, 6, 7, 12}) expect_valid(reals(n), ranks);
}

TEST(Bluestein, schedules_of_cosines_and_sines_are_valid_for_any_length_and_rank_count) {
  for (const Kind kind : {Kind::dct1, Kind::dct2, Kind::dct3, Kind::dct4, Kind::dst1, Kind::dst2, Kind::dst3, Kind::dst4})
    for (const Index n : {2, 3, 7, 30, 101})
      for (const int ranks : {2, 3, 7}) expect_valid({.shape = {n}, .data = Data::real_, .kinds = {kind}}, ranks);
}

// One rank's work is less than a convolution's, as long as there are few ranks to share it.
TEST(Bluestein, cosines_are_dealt_out_where_there_are_ranks_for_it) {
  const Problem cosines{.shape = {1 << 20}, .data = Data::real_, .kinds = {Kind::dct2}};
  EXPECT_EQ(plan(cosines, 2)->options().route, "pencil");
  for (const int ranks : {16, 64}) {
    const auto p = plan(cosines, ranks);
    EXPECT_EQ(p->options().route, "bluestein");
    EXPECT_EQ(p->layout_in(), Layout::cyclic({1 << 20}, {ranks}, ranks));
    EXPECT_EQ(p->layout_out(), p->layout_in());
  }
}

TEST(Bluestein, schedules_of_slices_are_valid) {
  const Index longer = 65537, shorter = 32749;
  for (const Index n : {longer, shorter}) {
    expect_valid({.shape = {n}}, 3);
    expect_valid(reals(n), 3);
    expect_valid({.shape = {n}, .data = Data::real_, .kinds = {Kind::dst3}}, 3);
  }
}

TEST(Bluestein, schedules_between_other_layouts_are_valid) {
  for (const int ranks : {2, 3, 4})
    for (const Index n : {101, 202})
      for (Problem problem : {Problem{.shape = {n}}, reals(n)}) {
        problem.in = Layout::blocks({n}, {ranks}, ranks);
        expect_valid(problem, ranks);
        const auto p = bluestein(problem, ranks);
        EXPECT_EQ(p->layout_out(), Layout::blocks(spectrum_shape(checked(problem)), {ranks}, ranks));
        EXPECT_EQ(p->exchanges(), 4);
      }
}

TEST(Bluestein, a_schedule_is_read_as_it_was_written) {
  for (const Problem& problem : {Problem{.shape = {31}}, reals(31), reals(62)})
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      const Schedule schedule = bluestein(problem, 3)->schedule(direction);
      ASSERT_EQ(schedule.preparation.size(), 3u);
      EXPECT_EQ(schedule_from_json(to_json(schedule)), schedule);
    }
}

TEST(Bluestein, long_primes_are_dealt_out_evenly_to_all_ranks) {
  Sample sample(2, 1);
  for (const int ranks : {2, 3, 4, 5, 7, 12}) {
    if (!sample.takes()) continue;
    const auto p = plan({.shape = {16777213}}, ranks);
    EXPECT_EQ(p->options().route, "bluestein");
    EXPECT_EQ(p->exchanges(), 2 * 4);  // slices
    EXPECT_EQ(p->layout_in(), Layout::cyclic({16777213}, {ranks}, ranks));
    EXPECT_EQ(p->layout_out(), p->layout_in());
  }
}

TEST(Bluestein, long_primes_of_reals_are_dealt_out_evenly_to_all_ranks) {
  Sample sample(2);  // those that complex numbers are not tried on
  for (const int ranks : {2, 3, 4, 5, 7, 12, 24}) {
    if (!sample.takes()) continue;
    const auto p = plan(reals(1449337), ranks);
    EXPECT_EQ(p->options().route, "bluestein");
    EXPECT_EQ(p->exchanges(), 2 * 4);  // slices
    EXPECT_EQ(p->layout_in(), Layout::cyclic({1449337}, {ranks}, ranks));
    EXPECT_EQ(p->layout_out(), Layout::cyclic({1449337 / 2 + 1}, {ranks}, ranks));
  }
}

TEST(Bluestein, twice_a_long_prime_and_blocks_of_one_are_dealt_out_too) {
  EXPECT_EQ(plan({.shape = {2 * 8388593}}, 4)->options().route, "bluestein");
  const Layout blocks = Layout::blocks({16777213}, {4}, 4);
  EXPECT_EQ(plan({.shape = {16777213}, .in = blocks}, 4)->options().route, "bluestein");
  EXPECT_EQ(plan({.shape = {16777213}, .data = Data::real_, .in = blocks}, 4)->options().route, "bluestein");
}

TEST(Bluestein, short_primes_and_smooth_lengths_go_their_old_ways) {
  EXPECT_EQ(plan({.shape = {101}}, 4)->options().route, "local");
  EXPECT_EQ(plan({.shape = {1 << 20}}, 4)->options().route, "cyclic");
  EXPECT_EQ(plan({.shape = {1 << 20}}, 3)->options().route, "line");
}

TEST(Bluestein, a_rank_sends_two_transforms_of_the_convolution) {
  const auto p = bluestein(16777213, 4);
  const Index points = 1 << 25, each = points / 4;
  EXPECT_EQ(p->traffic(0, Direction::forward).words, 2 * (each - each / 4));
  EXPECT_EQ(p->rank_schedule(0, Direction::forward).words_sent(), p->traffic(0, Direction::forward).words);
}

// Half the outputs take three quarters of the points.
TEST(Bluestein, reals_send_two_transforms_of_a_shorter_convolution) {
  const auto p = bluestein(reals(16777213), 4);
  const Index points = 3 << 23, each = points / 4;
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    EXPECT_EQ(p->traffic(0, direction).words, 2 * (each - each / 4));
    EXPECT_EQ(p->rank_schedule(0, direction).words_sent(), p->traffic(0, direction).words);
  }
}

TEST(Bluestein, reals_take_less_memory_than_complex_numbers) {
  const auto whole = bluestein(1449337, 24), half = bluestein(reals(1449337), 24);
  for (const Direction direction : {Direction::forward, Direction::backward})
    EXPECT_LT(static_cast<double>(half->workspace(0, direction)),
              0.8 * static_cast<double>(whole->workspace(0, direction)));
}

// Messages of few elements take as long as those of more.
TEST(Bluestein, short_lines_are_not_cut_into_slices) {
  EXPECT_EQ(bluestein(10007, 4)->exchanges(), 2);
  EXPECT_EQ(bluestein(32749, 4)->exchanges(), 4);
  EXPECT_EQ(bluestein(65537, 4)->exchanges(), 8);
}

TEST(Bluestein, convolutions_are_as_long_as_they_must_be_and_not_much_longer) {
  for (const Index least : {3, 4, 201, 20013, 1500004, 2000005, 33554425})
    for (const Index ranks : {2, 3, 4, 5, 7, 12, 17, 64}) {
      const Convolution c = choose_convolution(least, ranks);
      EXPECT_GE(c.points, least);
      EXPECT_LE(c.ranks, ranks);
      EXPECT_EQ(c.points % (c.ranks * c.ranks), 0) << least << " on " << c.ranks;
      if (least > 200 * ranks * ranks) {
        EXPECT_LE(2 * c.points, 3 * least + 3) << least << " on " << c.ranks;
      }
    }
}

TEST(Bluestein, ranks_whose_number_makes_transforms_slow_are_left_out) {
  EXPECT_EQ(choose_convolution(2000005, 17).ranks, 16);
  EXPECT_EQ(choose_convolution(2000005, 12).ranks, 12);
}

TEST(Bluestein, refuses_what_it_cannot_do) {
  EXPECT_THROW(bluestein(101, 1), Error);
  EXPECT_THROW(bluestein({.shape = {101}, .kinds = {Kind::dct2}}, 4), Error);
  EXPECT_THROW(bluestein({.shape = {101}, .data = Data::real_, .storage_in = {.padding = {1}}}, 4), Error);
  EXPECT_THROW(bluestein({.shape = {101, 3}}, 4), Error);
  EXPECT_THROW(bluestein({.shape = {101, 3}, .data = Data::real_}, 4), Error);
}

}  // namespace
}  // namespace kallima
