// Printed numbers say how exact they are, and verdicts follow from that alone.

#include <gtest/gtest.h>

#include "kallima/theory.hpp"
#include "lab/theory/exascale_claims.hpp"

using namespace kallima;
using namespace kallima::exascale;

namespace {

void expect_interval(const char* text, double value, double low, double high) {
  const Printed p = read_printed(text);
  EXPECT_DOUBLE_EQ(p.value, value) << text;
  EXPECT_NEAR(p.low, low, 1e-9 * value) << text;
  EXPECT_NEAR(p.high, high, 1e-9 * value) << text;
}

TEST(Printed, exactness_is_half_a_unit_of_the_last_digit) {
  expect_interval("0.528", 0.528, 0.5275, 0.5285);
  expect_interval("30", 30, 29.5, 30.5);
  expect_interval("2.0", 2, 1.95, 2.05);
  expect_interval("1000", 1000, 999.5, 1000.5);
}

TEST(Printed, suffixes_multiply_and_closing_zeros_after_a_separator_do_not_count) {
  expect_interval("350k", 350e3, 349.5e3, 350.5e3);
  expect_interval("1.3M", 1.3e6, 1.25e6, 1.35e6);
  expect_interval("79,400", 79400, 79350, 79450);
  expect_interval("135,000", 135000, 134500, 135500);
  expect_interval("98,304", 98304, 98303.5, 98304.5);
}

TEST(Printed, what_is_no_number_is_refused) {
  for (const char* text : {"", "k", "many", "-1", "1e3"}) EXPECT_THROW(read_printed(text), Error) << text;
}

TEST(Printed, units_know_their_prefix) {
  EXPECT_EQ(unit_factor("TF/s"), 1e12);
  EXPECT_EQ(unit_factor("MB"), 1e6);
  EXPECT_EQ(unit_factor("B"), 1);
  EXPECT_EQ(unit_factor(""), 1);
}

TEST(Printed, relations_hold_where_they_should) {
  const Printed one = read_printed("1");
  EXPECT_TRUE(holds(Relation::equal, one, 1.4));
  EXPECT_FALSE(holds(Relation::equal, one, 0.49));
  EXPECT_FALSE(holds(Relation::below, one, 1 - 1e-12));  // what arithmetic loses is no difference
  EXPECT_TRUE(holds(Relation::above, one, 1.001));
  EXPECT_TRUE(holds(Relation::magnitude, read_printed("1000"), 1075));
  EXPECT_FALSE(holds(Relation::magnitude, read_printed("1000"), 150));
}

TEST(Printed, an_interval_may_hold_though_its_ends_do_not) {
  EXPECT_TRUE(may_hold(Relation::equal, read_printed("9.7"), {9.0, 9.0, 10.5}));
  EXPECT_FALSE(may_hold(Relation::equal, read_printed("9.7"), {9.8, 9.8, 10.5}));
}

TEST(Printed, large_numbers_are_grouped) {
  EXPECT_EQ(number_text(0.520865), "0.5209");
  EXPECT_EQ(number_text(9999), "9999");
  EXPECT_EQ(number_text(98304), "98,304");
  EXPECT_EQ(number_text(164318.7), "164,320");
  EXPECT_EQ(number_text(1345171), "1,345,200");
  EXPECT_EQ(number_text(-18233), "-18,233");
}

TEST(Printed, a_quotient_is_as_vague_as_both_numbers) {
  const Printed q = read_printed("1.3M") / read_printed("135,000");
  EXPECT_NEAR(q.low, 1.25e6 / 135500, 1e-9);
  EXPECT_NEAR(q.high, 1.35e6 / 134500, 1e-9);
}

}  // namespace
