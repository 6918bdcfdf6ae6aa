#include "kallima/wire.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kallima {
namespace {

using Format = Wire::Format;

std::unique_ptr<Plan> plan_for(Precision precision, PlanOptions options = {}, int ranks = 4) {
  options.exchange = Exchange::messages;
  return plan({.shape = {64, 64}, .precision = precision}, ranks, options);
}

TEST(Wire, nonsense_is_refused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Wire& wire :
       {Wire{Format::shared_exponent, 1}, Wire{Format::shared_exponent, 60}, Wire{Format::shared_exponent, 0},
        Wire{Format::single, 24}, Wire{Format::same, 24}, Wire{.tolerance = -1e-3}, Wire{.tolerance = 1},
        Wire{.tolerance = nan}, Wire{Format::single, 0, 1e-3}, Wire{Format::shared_exponent, 20, 1e-3}})
    EXPECT_THROW(check(wire), Error) << text(wire);
}

TEST(Wire, what_is_asked_for_is_what_is_used) {
  const auto plan = plan_for(Precision::double_);
  for (const Wire& wire : {Wire{}, Wire{Format::single}, Wire{Format::shared_exponent, 52}}) {
    EXPECT_EQ(choose_wire(wire, *plan).wire, wire);
    EXPECT_TRUE(choose_wire(wire, *plan).reason.empty());
  }
}

TEST(Wire, a_format_that_saves_nothing_is_left_out_and_said_so) {
  const auto plan = plan_for(Precision::single_);
  for (const Wire& wire : {Wire{Format::single}, Wire{Format::shared_exponent, 32}}) {
    const WireChoice choice = choose_wire(wire, *plan);
    EXPECT_EQ(choice.wire, Wire{});
    EXPECT_EQ(choice.limit, 0);
    EXPECT_NE(choice.reason.find(text(wire)), std::string::npos) << choice.reason;
  }
  EXPECT_EQ(choose_wire({Format::shared_exponent, 31}, *plan).wire.bits, 31);
}

TEST(Wire, a_tolerance_takes_the_fewest_bits_that_keep_it) {
  for (const Precision precision : {Precision::single_, Precision::double_, Precision::long_double}) {
    const auto plan = plan_for(Precision::double_);
    for (double tolerance = 0.5; tolerance > 1e-14; tolerance /= 3) {
      const WireChoice choice = choose_wire({.tolerance = tolerance}, *plan_for(precision));
      if (choice.wire.format == Format::same) {
        EXPECT_LT(tolerance, precision == Precision::single_ ? 1e-8 : 1e-14);
        continue;
      }
      EXPECT_LE(choice.limit, tolerance);
      EXPECT_GT(2.1 * choice.limit, tolerance) << "one bit less would have done";
    }
  }
  EXPECT_EQ(choose_wire({.tolerance = 1e-15}, *plan_for(Precision::double_)).wire, Wire{});
}

TEST(Wire, what_is_sent_more_than_once_has_more_to_lose) {
  const Wire wire{Format::shared_exponent, 20};
  const double once = choose_wire(wire, *plan_for(Precision::double_, {.route = "cyclic"})).limit;
  EXPECT_NEAR(once, std::sqrt(32.0) * std::ldexp(1.0, -19), 1e-9);
  EXPECT_NEAR(choose_wire(wire, *plan_for(Precision::double_, {.route = "slab"})).limit / once, 2, 1e-3);
  const auto relayed = plan_for(Precision::double_, {.route = "cyclic", .alltoall = Alltoall::bruck}, 8);
  EXPECT_NEAR(choose_wire(wire, *relayed).limit / once, 3, 1e-3);
}

TEST(Wire, words_and_wires_are_each_others_inverse) {
  for (const Wire& wire : {Wire{}, Wire{Format::single}, Wire{Format::shared_exponent, 24}, Wire{.tolerance = 1e-10}})
    EXPECT_EQ(wire_named(text(wire)), wire);
  for (const char* words : {"", "double", "shared", "shared:", "shared:x", "shared:1", "shared:60", "shared:2.5",
                            "tolerance", "tolerance:0", "tolerance:-1", "tolerance:nan", "single:3", "shared:1e30"})
    EXPECT_THROW(wire_named(words), Error) << words;
}

}  // namespace
}  // namespace kallima
