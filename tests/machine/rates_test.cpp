#include "kallima/rates.hpp"

#include <gtest/gtest.h>

#include "kallima/profile.hpp"

namespace kallima {
namespace {

constexpr PassClass across{Stance::across, LineWork::complex_, Precision::double_};
constexpr double mib = 1024 * 1024;

Rates two_lengths() {
  Rates rates{.cores = 2, .call_s = 0};
  rates.passes = {{across, 64, 1e-10, 0.01}, {across, 128, 2e-10, 0.01}};
  for (const int cores : {1, 2})
    for (const double footprint : {0.375 * mib, 128 * mib})
      rates.memory.push_back({{Stance::across, LineWork::complex_, true, false, cores},
                              64,
                              footprint,
                              footprint > mib ? 1e-10 * cores : 0});
  return rates;
}

// Lines of n points side by side, in place, of an array that is this long.
RankSchedule one_pass(Index n, Index lines, Index elements) {
  const Piece piece{.buffer = Buffer::out, .count = n, .stride = lines, .strides = {1}};
  Task task{.label = "local",
            .steps = {{.pass = {.length = n, .sources = {piece}, .targets = {piece}, .loops = {lines}}}}};
  RankSchedule schedule;
  schedule.sizes[at(Buffer::out)] = elements;
  schedule.tasks = {task};
  return schedule;
}

double seconds(const RankSchedule& schedule, const Rates& rates, int busy = 1) {
  return task_seconds(schedule, rates, Precision::double_, busy)[0];
}

TEST(Rates, a_length_that_was_timed_takes_what_was_measured) {
  EXPECT_DOUBLE_EQ(seconds(one_pass(64, 63, 64 * 63), two_lengths()), 64 * 63 * 32 * 1e-10);
  EXPECT_DOUBLE_EQ(seconds(one_pass(128, 63, 128 * 63), two_lengths()), 128 * 63 * 32 * 2e-10);
}

TEST(Rates, a_length_between_two_takes_a_time_between_theirs) {
  const double per_point = seconds(one_pass(96, 63, 96 * 63), two_lengths()) / (96 * 63 * 32);
  EXPECT_GT(per_point, 1e-10);
  EXPECT_LT(per_point, 2.5e-10);
}

TEST(Rates, memory_costs_more_where_more_was_touched_and_more_cores_are_at_work) {
  const double cached = seconds(one_pass(64, 63, 64 * 63), two_lengths());
  const double far = seconds(one_pass(64, 63, 1 << 24), two_lengths());
  EXPECT_NEAR(far / cached, 2, 1e-9);
  EXPECT_NEAR(seconds(one_pass(64, 63, 1 << 24), two_lengths(), 2) / cached, 3, 1e-9);
  EXPECT_NEAR(seconds(one_pass(64, 63, 1 << 24), two_lengths(), 4) / cached, 6, 1e-9) << "two ranks share a core";
}

TEST(Rates, far_elements_that_stand_apart_cost_the_cache_lines_they_come_with) {
  const double cached = seconds(one_pass(64, 63, 64 * 63), two_lengths());
  RankSchedule apart = one_pass(64, 63, 1 << 24);
  Pass& pass = apart.tasks[0].steps[0].pass;
  for (Piece* piece : {&pass.sources[0], &pass.targets[0]}) piece->stride *= 30, piece->strides = {30};
  EXPECT_NEAR(seconds(apart, two_lengths()) / cached, 1 + 4, 1e-9) << "four complex doubles a cache line";
}

TEST(Rates, short_groups_of_lines_take_longer_than_long_ones) {
  Rates rates = two_lengths();
  rates.group_s = 1e-7;
  RankSchedule split = one_pass(64, 8, 64 * 512);
  Pass& pass = split.tasks[0].steps[0].pass;
  pass.loops = {64, 8};
  for (Piece* piece : {&pass.sources[0], &pass.targets[0]}) piece->stride = 512, piece->strides = {8, 1};
  const double side_by_side = seconds(one_pass(64, 512, 64 * 512), rates);
  EXPECT_NEAR(seconds(split, rates) - side_by_side, 63e-7, 1e-12);
}

TEST(Rates, lines_that_are_dealt_out_take_what_such_lines_were_timed_with) {
  Rates rates = two_lengths();
  rates.passes.push_back({{Stance::across, LineWork::dealt, Precision::double_}, 64, 3e-10, 0.01});
  RankSchedule dealt = one_pass(64, 63, 64 * 63);
  std::vector<Piece>& targets = dealt.tasks[0].steps[0].pass.targets;
  targets.push_back(targets[0]);
  targets[0].count = targets[1].count = targets[1].first = 32;
  targets[1].offset = 32 * 63;
  EXPECT_GT(seconds(dealt, rates), 2 * seconds(one_pass(64, 63, 64 * 63), rates));
}

TEST(Rates, lines_that_are_multiplied_take_what_such_lines_were_timed_with) {
  Rates rates = two_lengths();
  rates.passes.push_back({{Stance::along, LineWork::move, Precision::double_}, 64, 1e-11, 0.01});
  rates.passes.push_back({{Stance::along, LineWork::chirp, Precision::double_}, 64, 5e-11, 0.01});
  rates.passes.push_back({{Stance::along, LineWork::product, Precision::double_}, 64, 3e-11, 0.01});
  RankSchedule schedule = one_pass(64, 1, 64 * 63);
  Pass& pass = schedule.tasks[0].steps[0].pass;
  pass.loops = {};
  for (Piece* piece : {&pass.sources[0], &pass.targets[0]}) piece->stride = 1, piece->strides = {};
  for (const auto& [action, rate] :
       {std::pair{Action::move, 1e-11}, std::pair{Action::chirp, 5e-11}, std::pair{Action::multiply, 3e-11}}) {
    pass.action = action;
    EXPECT_DOUBLE_EQ(seconds(schedule, rates), 64 * 32 * rate) << static_cast<int>(action);
  }
}

TEST(Rates, what_a_body_has_just_touched_is_in_cache) {
  RankSchedule schedule = one_pass(64, 63, 1 << 24);
  std::vector<Step>& steps = schedule.tasks[0].steps;
  const Step pass = steps[0];
  steps = {{.repeat = 10, .body = {pass, pass}}};
  for (Step& step : steps[0].body)
    for (auto* pieces : {&step.pass.sources, &step.pass.targets}) (*pieces)[0].strides = {64 * 63, 1};
  const double cached = seconds(one_pass(64, 63, 64 * 63), two_lengths());
  EXPECT_NEAR(seconds(schedule, two_lengths()) / cached, 10 * (2 + 1), 1e-6)
      << "the first reads memory, the second not";
}

TEST(Rates, rows_that_begin_within_cache_lines_take_what_such_rows_were_timed_with) {
  Rates rates = two_lengths();
  const double even = seconds(one_pass(64, 64, 64 * 64), rates), odd = seconds(one_pass(64, 63, 64 * 63), rates);
  rates.memory.push_back({{Stance::across, LineWork::complex_, true, false, 1, true}, 64, 0.375 * mib, 0.5e-10});
  EXPECT_DOUBLE_EQ(seconds(one_pass(64, 64, 64 * 64), rates), even);
  EXPECT_NEAR(seconds(one_pass(64, 63, 64 * 63), rates) / odd, 1.5, 1e-9);
  RankSchedule along = one_pass(64, 63, 64 * 63);
  Pass& pass = along.tasks[0].steps[0].pass;
  for (Piece* piece : {&pass.sources[0], &pass.targets[0]}) piece->stride = 1, piece->strides = {64};
  const double lines = seconds(along, rates);
  rates.memory.pop_back();
  EXPECT_DOUBLE_EQ(lines, seconds(along, rates)) << "these have no rows";
}

// As many lines, in groups of eight.
TEST(Rates, rows_of_few_lines_take_longer_and_wide_ones_do_not) {
  Rates rates = two_lengths();
  const RankSchedule wide = one_pass(64, 128, 64 * 128);
  RankSchedule narrow = wide;
  Pass& pass = narrow.tasks[0].steps[0].pass;
  pass.loops = {16, 8};
  for (auto* const end : {&pass.sources, &pass.targets}) (*end)[0].strides = {8, 1};
  const double before = seconds(narrow, rates), wide_before = seconds(wide, rates);
  rates.rows = {{64, false, 1e-9, 3e-9}, {64, true, 1e-9, 3e-9}};
  EXPECT_DOUBLE_EQ(seconds(wide, rates), wide_before);
  EXPECT_NEAR(seconds(narrow, rates) - before, 64 * (16 - 1) * 4e-9, 1e-12);
}

TEST(Rates, priced_schedules_have_seconds_for_operations) {
  const RankSchedule plain = one_pass(64, 63, 64 * 63);
  const RankSchedule priced_one = priced(plain, two_lengths(), Precision::double_, 1, 1e9);
  EXPECT_DOUBLE_EQ(priced_one.tasks[0].flops, 1e9 * seconds(plain, two_lengths()));
  EXPECT_EQ(priced_one.tasks[0].elements, 0);
}

TEST(Rates, primes_are_worth_more_levels_than_powers_of_two) {
  EXPECT_EQ(radix_levels(1024), 10);
  EXPECT_GT(radix_levels(1021), 15);
  EXPECT_GT(radix_levels(243), radix_levels(256));
}

TEST(Rates, corrections_go_by_the_nearest_over_the_logarithm_of_points) {
  const Correction small{.route = "cyclic",
                         .line = true,
                         .several = true,
                         .joined = Joined::views,
                         .points = 1024,
                         .factor = 1,
                         .error = 0.1};
  Correction large = small, asked = small;
  large.points = 4096;
  large.factor = 4;
  asked.points = 2048;
  EXPECT_DOUBLE_EQ(corrected({small, large}, asked)->factor, 2);
  asked.points = 1 << 20;
  EXPECT_NEAR(corrected({small, large}, asked)->factor, 4, 0.01) << "beyond the largest it is the largest's";
  asked.joined = Joined::threads;
  EXPECT_FALSE(corrected({small, large}, asked));
  EXPECT_NEAR(corrected_however_joined({small, large}, asked)->factor, 4, 0.01);
}

TEST(Rates, uneven_rows_have_corrections_of_their_own_or_those_of_even_ones) {
  const Correction even{.route = "slab", .several = true, .points = 1024, .factor = 0.9};
  Correction uneven = even, asked = even;
  uneven.factor = 1.3;
  uneven.uneven = asked.uneven = true;
  EXPECT_DOUBLE_EQ(corrected_however_joined({even, uneven}, even)->factor, 0.9);
  EXPECT_DOUBLE_EQ(corrected_however_joined({even, uneven}, asked)->factor, 1.3);
  EXPECT_DOUBLE_EQ(corrected_however_joined({even}, asked)->factor, 0.9);
  EXPECT_FALSE(corrected_however_joined({uneven}, even));
  uneven.joined = Joined::views;
  EXPECT_DOUBLE_EQ(corrected_however_joined({even, uneven}, asked)->factor, 1.3) << "rows tell more than transports";
}

TEST(Profile, reads_back_the_same) {
  Profile profile = usual_profile();
  profile.rates = two_lengths();
  profile.rates.group_s = 1.25e-7;
  profile.rates.calm_s = 3.5e-6;
  profile.rates.memory.back().where.uneven = true;
  profile.rates.rows = {{4096, true, 1.5e-9, 2.5e-9}};
  profile.hosts_share_cores = true;
  profile.rates.corrections = {{"cyclic", LineWork::halved, true, true, true, Joined::views, 4096, 1.25, 0.125}};
  profile.host = "somewhere";
  profile.machine.word_bytes = 1;
  EXPECT_EQ(profile_from_json(to_json(profile)), profile);
  EXPECT_EQ(machine_from_json(to_json(profile)), profile.machine) << "whatever reads machines reads profiles";
}

TEST(Profile, refuses_what_makes_no_sense) {
  std::string json = to_json(usual_profile());
  EXPECT_THROW(profile_from_json("{}"), Error);
  const std::size_t row = json.find("across complex double 64");
  ASSERT_NE(row, std::string::npos);
  EXPECT_THROW(profile_from_json(std::string(json).replace(row, 6, "beside")), Error);
  EXPECT_THROW(profile_from_json(std::string(json).replace(row + 22, 2, "-1")), Error);
}

TEST(Profile, blocks_that_are_read_in_place_cost_no_time_per_byte) {
  const auto per_byte = [](Joined joined) {
    return std::get<Loggp>(machine_for(usual_profile(), joined, 4, 4).model).G;
  };
  EXPECT_EQ(per_byte(Joined::views), 0);
  EXPECT_GT(per_byte(Joined::node), 0);
  const Machine two_nodes = machine_for(usual_profile(), Joined::node, 4, 8);
  EXPECT_EQ(two_nodes.node.ranks, 4);
  EXPECT_GT(two_nodes.node.G, 0);
}

TEST(Profile, blocks_that_land_though_they_could_be_read_in_place_take_processors_time) {
  const auto of = [](Landing landing) {
    return std::get<Loggp>(machine_for(usual_profile(), Joined::threads, 4, 4, landing).model);
  };
  EXPECT_EQ(of(Landing::none).O, 0);
  EXPECT_GT(of(Landing::copied).O, 0);
  EXPECT_EQ(of(Landing::copied).G, 0);
}

}  // namespace
}  // namespace kallima
