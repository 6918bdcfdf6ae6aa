#include "kallima/forecast.hpp"

#include <gtest/gtest.h>

namespace kallima {
namespace {

TEST(Forecast, lies_between_the_longer_part_and_both_in_sequence) {
  for (const char* route : {"cyclic", "slab", "pencil"}) {
    const auto p = plan({.shape = {64, 64, 64}}, 4, {.route = route, .exchange = Exchange::messages});
    const Forecast f = forecast(*p, usual_profile(), {.inside = Joined::hosts, .per_node = 1});
    EXPECT_GE(f.seconds, 0.999 * std::max(f.computation_s, f.communication_s)) << route;
    EXPECT_LE(f.seconds, 1.001 * f.in_sequence()) << route;
    EXPECT_GT(f.communication_s, 0) << route;
    EXPECT_FALSE(f.stages.empty()) << route;
  }
}

TEST(Forecast, one_rank_that_stands_for_all_takes_as_long_as_they_do) {
  const auto few = plan({.shape = {64, 64, 64}}, 16, {.route = "cyclic", .exchange = Exchange::messages});
  const auto many = plan({.shape = {64, 64, 128}}, 32, {.route = "cyclic", .exchange = Exchange::messages});
  const ForecastOptions how{.inside = Joined::hosts, .per_node = 1};
  const Forecast f = forecast(*few, usual_profile(), how), m = forecast(*many, usual_profile(), how);
  EXPECT_EQ(f.simulated, "all ranks");
  EXPECT_NE(m.simulated, "all ranks");
  EXPECT_NEAR(m.computation_s / f.computation_s, 1, 0.2) << "as much work for each";
}

// One exchange sends half the bytes of two, in more messages.
TEST(Forecast, dear_messages_favour_pencils_and_dear_bytes_the_one_exchange) {
  const auto seconds = [](const char* route, double per_message, double per_byte) {
    Profile profile = usual_profile();
    for (PairRates& pair : profile.pairs) {
      pair.o_send = pair.o_receive = pair.g = {per_message, 0};
      pair.G = {per_byte, 0};
    }
    const PlanOptions options{.route = route, .chunks = 1, .exchange = Exchange::messages};
    return candidate_forecast(*plan({.shape = {64, 64, 64}}, 16, options), options, profile).seconds;
  };
  EXPECT_LT(seconds("pencil", 1e-3, 1e-12), seconds("cyclic", 1e-3, 1e-12));
  EXPECT_GT(seconds("pencil", 1e-7, 1e-7), 1.2 * seconds("cyclic", 1e-7, 1e-7));
}

}  // namespace
}  // namespace kallima
