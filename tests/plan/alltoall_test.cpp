// The exchange of a transform by each of the all-to-alls: valid schedules, the right messages in the right order, and a
// reason where one cannot be had.

#include <gtest/gtest.h>

#include <bit>

#include "kallima/plan.hpp"
#include "kallima/simulate.hpp"
#include "kallima/symmetry.hpp"
#include "must_apply.hpp"
#include "sample.hpp"

namespace kallima {
namespace {

constexpr Alltoall every_alltoall[] = {Alltoall::automatic, Alltoall::direct, Alltoall::pairwise, Alltoall::bruck};

// Nothing where the route may refuse, or the all-to-all does not go on so many ranks.
std::unique_ptr<Plan> plan_or_nothing(const Problem& problem, int ranks, const PlanOptions& options) {
  if (options.alltoall != Alltoall::pairwise) return plan_unless_excused(problem, ranks, options);
  try {
    return plan(problem, ranks, options);
  } catch (const Error& error) {
    const bool excused = !power_of_two(ranks) || !must_apply(options.route, problem.shape, ranks);
    EXPECT_TRUE(excused) << error.what();
    return nullptr;
  }
}

std::vector<int> destinations(const Plan& plan, int rank, Index* words = nullptr) {
  std::vector<int> to;
  for (const Task& task : plan.rank_schedule(rank, Direction::forward).tasks) {
    if (task.kind != TaskKind::send_start) continue;
    to.push_back(task.peer);
    if (words != nullptr) *words += task.elements;
  }
  return to;
}

std::vector<PlanOptions> all_options() {
  std::vector<PlanOptions> options;
  for (const Index chunks : {1, 2, 5})
    for (const Order order : {Order::chunk_first, Order::destination_first})
      for (const Exchange exchange : {Exchange::views, Exchange::messages})
        for (const Placement placement : {Placement::out_of_place, Placement::in_place})
          options.push_back(
              {.route = "cyclic", .chunks = chunks, .order = order, .exchange = exchange, .placement = placement});
  return options;
}

TEST(PlanAlltoall, every_schedule_is_valid) {
  int checked_plans = 0;
  Sample sample(11);
  for (const Shape& shape : {Shape{1296}, {4096}, {36, 4, 49}, {64, 48}, {16, 16, 16}, {25, 12}, {32768}})
    for (const int ranks : {2, 3, 4, 6, 7, 12})
      for (PlanOptions options : all_options())
        for (const Alltoall how : every_alltoall) {
          if (!sample.takes()) continue;
          options.alltoall = how;
          const auto p = plan_or_nothing({.shape = shape}, ranks, options);
          if (!p) continue;
          ++checked_plans;
          const bool in_place = options.placement == Placement::in_place;
          ASSERT_NO_THROW(
              validate(p->schedule(Direction::forward), in_place ? Aliasing::in_is_out : Aliasing::separate))
              << text(shape) << ", " << p->explanation();
        }
  EXPECT_GT(checked_plans, 1000 / sample.one_in());
}

TEST(PlanAlltoall, trees_of_several_radices_are_valid) {
  for (PlanOptions options : all_options())
    for (const Alltoall how : every_alltoall) {
      options.chunks = 2;
      options.radices = {2, 3, 2};
      options.alltoall = how;
      if (how == Alltoall::pairwise || (how == Alltoall::direct && options.order == Order::destination_first)) {
        EXPECT_THROW(plan({.shape = {1296}}, 6, options), Error);
        continue;
      }
      const auto p = plan({.shape = {1296}}, 6, options);
      const bool in_place = options.placement == Placement::in_place;
      ASSERT_NO_THROW(validate(p->schedule(Direction::forward), in_place ? Aliasing::in_is_out : Aliasing::separate));
    }
}

TEST(PlanAlltoall, destinations_come_in_the_order_asked_for) {
  for (PlanOptions options : all_options()) {
    options.chunks = 1;
    options.alltoall = Alltoall::direct;
    EXPECT_EQ(destinations(*plan({.shape = {4096}}, 8, options), 3), (std::vector<int>{4, 5, 6, 7, 0, 1, 2}));
    EXPECT_EQ(destinations(*plan({.shape = {36}}, 6, options), 3), (std::vector<int>{4, 5, 0, 1, 2}));
    options.alltoall = Alltoall::pairwise;
    EXPECT_EQ(destinations(*plan({.shape = {4096}}, 8, options), 3), (std::vector<int>{2, 1, 0, 7, 6, 5, 4}));
    options.alltoall = Alltoall::bruck;
    EXPECT_EQ(destinations(*plan({.shape = {4096}}, 8, options), 3), (std::vector<int>{4, 5, 7}));
    EXPECT_EQ(destinations(*plan({.shape = {36}}, 6, options), 3), (std::vector<int>{4, 5, 1}));
  }
}

TEST(PlanAlltoall, all_chunks_of_a_destination_go_first_if_asked_to) {
  const auto p = plan({.shape = {4096}}, 4,
                      {.route = "cyclic",
                       .chunks = 2,
                       .order = Order::destination_first,
                       .exchange = Exchange::messages,
                       .alltoall = Alltoall::direct});
  EXPECT_EQ(destinations(*p, 1), (std::vector<int>{2, 2, 3, 3, 0, 0}));
}

TEST(PlanAlltoall, bruck_sends_half_the_data_in_every_round) {
  for (const Index chunks : {1, 4})
    for (const int ranks : {2, 4, 8}) {
      const auto p =
          plan({.shape = {4096, 3}}, ranks, {.route = "cyclic", .chunks = chunks, .alltoall = Alltoall::bruck});
      const Index rounds = std::bit_width(static_cast<unsigned>(ranks)) - 1;
      Index words = 0;
      EXPECT_EQ(static_cast<Index>(destinations(*p, ranks - 1, &words).size()), chunks * rounds);
      EXPECT_EQ(words, rounds * 4096 * 3 / ranks / 2);
    }
}

TEST(PlanAlltoall, one_rank_stands_for_all_in_a_simulation) {
  for (const Alltoall how : every_alltoall)
    for (const Exchange exchange : {Exchange::views, Exchange::messages}) {
      const auto p =
          plan({.shape = {4096}}, 8, {.route = "cyclic", .chunks = 2, .exchange = exchange, .alltoall = how});
      const auto shared = shared_outline(*p, Direction::forward);
      ASSERT_TRUE(shared) << name(how);
      for (const Machine& machine :
           {Machine(AlphaBeta{.alpha = 100, .beta = 1}), Machine(Loggp{.L = 9, .g = 4, .G = 2})})
        EXPECT_DOUBLE_EQ(simulate(*shared, machine).completion,
                         simulate(p->schedule(Direction::forward), machine).completion)
            << name(how);
    }
}

void expect_reason(const Problem& problem, int ranks, const PlanOptions& options, const std::string& fragment) {
  try {
    plan(problem, ranks, options);
    FAIL() << "no error, expected one with '" << fragment << "'";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(fragment), std::string::npos) << error.what();
  }
}

TEST(PlanAlltoall, what_cannot_be_had_has_a_reason) {
  expect_reason({.shape = {36}}, 6, {.route = "cyclic", .alltoall = Alltoall::pairwise}, "power of two, not 6 ranks");
  expect_reason({.shape = {8, 8}}, 4, {.route = "slab", .alltoall = Alltoall::bruck}, "not bruck");
  expect_reason({.shape = {16}}, 8, {.route = "group-cyclic", .alltoall = Alltoall::direct}, "not direct");
  expect_reason({.shape = {97}}, 4, {.route = "local", .alltoall = Alltoall::bruck}, "exchanges nothing");
  EXPECT_EQ(plan({.shape = {8, 7}}, 3, {.alltoall = Alltoall::direct})->options().route, "slab");
  EXPECT_EQ(plan({.shape = {97}}, 1, {.alltoall = Alltoall::bruck})->options().route, "local");
}

}  // namespace
}  // namespace kallima
