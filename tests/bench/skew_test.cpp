#include "bench/skew.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "bench/race.hpp"

namespace kallima::cli {
namespace {

TEST(Skew, half_of_the_ranks_are_delayed_by_no_more_than_asked) {
  for (const int ranks : {1, 2, 3, 7, 8})
    for (int run = 0; run < 50; ++run) {
      const std::vector<double> delays = Skew{.longest = 0.01, .ranks = ranks}.delays(run);
      EXPECT_EQ(std::count_if(delays.begin(), delays.end(), [](double d) { return d > 0; }), (ranks + 1) / 2);
      EXPECT_LE(*std::max_element(delays.begin(), delays.end()), 0.01);
      EXPECT_GE(*std::min_element(delays.begin(), delays.end()), 0);
    }
}

TEST(Skew, delays_follow_from_the_run_and_strike_every_rank_in_time) {
  const Skew skew{.longest = 1, .ranks = 4};
  std::set<std::size_t> struck;
  for (int run = 0; run < 20; ++run) {
    EXPECT_EQ(skew.delays(run), skew.delays(run));
    EXPECT_NE(skew.delays(run), skew.delays(run + 1));
    const std::vector<double> delays = skew.delays(run);
    for (std::size_t r = 0; r < 4; ++r)
      if (delays[r] > 0) struck.insert(r);
  }
  EXPECT_EQ(struck.size(), 4u);
  EXPECT_EQ(Skew{.ranks = 3}.delays(1), std::vector<double>(3, 0.0));
}

TEST(Runs, p95_is_the_time_that_all_but_one_in_twenty_keep) {
  Runs runs;
  for (int i = 100; i > 0; --i) runs.seconds.push_back(i);
  EXPECT_EQ(runs.p95(), 95);
  EXPECT_EQ((Runs{.seconds = {3, 1, 2}}).p95(), 3);
  EXPECT_EQ((Runs{.seconds = {7}}).p95(), 7);
}

}  // namespace
}  // namespace kallima::cli
