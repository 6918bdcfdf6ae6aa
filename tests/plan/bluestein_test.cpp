#include <gtest/gtest.h>

#include "kallima/plan.hpp"
#include "plan/routes/convolution.hpp"

namespace kallima {
namespace {

std::unique_ptr<Plan> bluestein(Index n, int ranks, PlanOptions options = {}) {
  options.route = "bluestein";
  return plan({.shape = {n}}, ranks, options);
}

TEST(Bluestein, schedules_are_valid_for_any_length_and_rank_count) {
  for (const Index n : {2, 3, 10, 31, 101, 1009, 2 * 1009})
    for (const int ranks : {2, 3, 4, 5, 7, 12})
      for (const Exchange exchange : {Exchange::views, Exchange::messages})
        for (const Placement placement : {Placement::out_of_place, Placement::in_place})
          for (const Direction direction : {Direction::forward, Direction::backward}) {
            const auto p = bluestein(n, ranks, {.exchange = exchange, .placement = placement});
            const bool in_place = placement == Placement::in_place;
            ASSERT_NO_THROW(validate(p->schedule(direction), in_place ? Aliasing::in_is_out : Aliasing::separate))
                << n << " points on " << ranks << " ranks";
          }
}

TEST(Bluestein, schedules_between_other_layouts_are_valid) {
  for (const int ranks : {2, 3, 4}) {
    const Layout blocks = Layout::blocks({101}, {ranks}, ranks);
    for (const Placement placement : {Placement::out_of_place, Placement::in_place}) {
      const auto p = plan({.shape = {101}, .in = blocks}, ranks, {.route = "bluestein", .placement = placement});
      EXPECT_EQ(p->layout_out(), blocks);
      EXPECT_EQ(p->exchanges(), 4);
      for (const Direction direction : {Direction::forward, Direction::backward})
        EXPECT_NO_THROW(validate(p->schedule(direction),
                                 placement == Placement::in_place ? Aliasing::in_is_out : Aliasing::separate));
    }
  }
}

TEST(Bluestein, a_schedule_is_read_as_it_was_written) {
  const Schedule schedule = bluestein(31, 3)->schedule(Direction::backward);
  ASSERT_EQ(schedule.preparation.size(), 3u);
  EXPECT_EQ(schedule_from_json(to_json(schedule)), schedule);
}

TEST(Bluestein, long_primes_are_dealt_out_evenly_to_all_ranks) {
  for (const int ranks : {2, 3, 4, 5, 7, 12}) {
    const auto p = plan({.shape = {16777213}}, ranks);
    EXPECT_EQ(p->options().route, "bluestein");
    EXPECT_EQ(p->exchanges(), 2);
    EXPECT_EQ(p->layout_in(), Layout::cyclic({16777213}, {ranks}, ranks));
    EXPECT_EQ(p->layout_out(), p->layout_in());
  }
}

TEST(Bluestein, twice_a_long_prime_and_blocks_of_one_are_dealt_out_too) {
  EXPECT_EQ(plan({.shape = {2 * 8388593}}, 4)->options().route, "bluestein");
  const Layout blocks = Layout::blocks({16777213}, {4}, 4);
  EXPECT_EQ(plan({.shape = {16777213}, .in = blocks}, 4)->options().route, "bluestein");
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

TEST(Bluestein, convolutions_hold_the_chirp_and_are_not_much_longer) {
  for (const Index n : {2, 101, 10007, 1000003, 16777213})
    for (const Index ranks : {2, 3, 4, 5, 7, 12, 17, 64}) {
      const Convolution c = choose_convolution(n, ranks);
      EXPECT_GE(c.points, 2 * n - 1);
      EXPECT_LE(c.ranks, ranks);
      EXPECT_EQ(c.points % (c.ranks * c.ranks), 0) << n << " on " << c.ranks;
      if (n > 100 * ranks * ranks) {
        EXPECT_LE(c.points, 3 * n) << n << " on " << c.ranks;
      }
    }
}

TEST(Bluestein, ranks_whose_number_makes_transforms_slow_are_left_out) {
  EXPECT_EQ(choose_convolution(1000003, 17).ranks, 16);
  EXPECT_EQ(choose_convolution(1000003, 12).ranks, 12);
}

TEST(Bluestein, refuses_what_it_cannot_do) {
  EXPECT_THROW(bluestein(101, 1), Error);
  EXPECT_THROW(plan({.shape = {101}, .data = Data::real_}, 4, {.route = "bluestein"}), Error);
  EXPECT_THROW(plan({.shape = {101, 3}}, 4, {.route = "bluestein"}), Error);
}

}  // namespace
}  // namespace kallima
