#include "bench/roofline.hpp"

#include <gtest/gtest.h>

namespace kallima::cli {
namespace {

TEST(Roofline, short_lines_are_bound_by_memory_and_long_ones_by_arithmetic) {
  EXPECT_DOUBLE_EQ(roofline_ns(2, Precision::double_, 40e9, 32e9), 1);
  EXPECT_DOUBLE_EQ(roofline_ns(2, Precision::single_, 40e9, 32e9), 0.5);
  EXPECT_DOUBLE_EQ(roofline_ns(65536, Precision::double_, 40e9, 32e9), 2);
}

TEST(Roofline, the_last_cache_is_no_smaller_than_a_core_s_own) {
  const CacheSizes sizes = cache_sizes();
  EXPECT_GT(sizes.own, 0);
  EXPECT_GE(sizes.last, sizes.own);
}

}  // namespace
}  // namespace kallima::cli
