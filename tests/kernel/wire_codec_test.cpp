#include "kernel/wire_codec.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace kallima::kernel {
namespace {

const Wire single{.format = Wire::Format::single};

Wire shared(int bits) { return {.format = Wire::Format::shared_exponent, .bits = bits}; }

template <class T>
std::vector<T> through(const Wire& wire, const std::vector<T>& x, WireErrors* errors = nullptr) {
  WireErrors mine;
  const std::byte guard{0xa5};
  const std::size_t bytes = encoded_bytes(wire, x.size());
  std::vector<std::byte> message(bytes + 16, guard);
  encode(wire, std::span<const T>(x), message.data(), errors != nullptr ? *errors : mine);
  for (std::size_t i = bytes; i < message.size(); ++i) EXPECT_EQ(message[i], guard) << "written beyond the end";
  std::vector<T> y(x.size(), T{-7});
  decode(wire, message.data(), std::span<T>(y));
  return y;
}

// Numbers whose magnitudes differ by up to 2^`spread`, about 2^`middle`.
template <class T>
std::vector<T> numbers(std::size_t count, int middle, int spread, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> mantissa(-1, 1), exponent(-0.5 * spread, 0.5 * spread);
  std::vector<T> x;
  for (std::size_t i = 0; i < count; ++i)
    x.push_back(std::ldexp(static_cast<T>(mantissa(random)), middle + static_cast<int>(exponent(random))));
  return x;
}

template <class T>
double relative_l2(const std::vector<T>& x, const std::vector<T>& y, T unit) {
  long double difference = 0, total = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double a = x[i] / unit, b = y[i] / unit;
    difference += (a - b) * (a - b);
    total += a * a;
  }
  return total == 0 ? 0 : static_cast<double>(std::sqrt(difference / total));
}

template <class T>
void no_number_is_off_by_more_than_promised() {
  for (int bits = 2; bits <= 52; ++bits)
    for (const std::size_t count : {0, 1, 2, 31, 32, 33, 64, 77})
      for (const int middle : {-100, 0, 100}) {
        const std::vector<T> x = numbers<T>(count, middle, bits % 3 * 10, static_cast<unsigned>(bits));
        const std::vector<T> y = through(shared(bits), x);
        for (std::size_t i = 0; i < count; ++i) {
          T largest = 0;
          for (std::size_t k = i / 32 * 32; k < std::min(count, i / 32 * 32 + 32); ++k)
            largest = std::max(largest, std::abs(x[k]));
          EXPECT_LE(std::abs(x[i] - y[i]), std::ldexp(largest, 1 - bits)) << bits << " bits, number " << i;
        }
      }
}

TEST(WireCodec, a_shared_exponent_keeps_every_number_within_a_step) {
  no_number_is_off_by_more_than_promised<float>();
  no_number_is_off_by_more_than_promised<double>();
  no_number_is_off_by_more_than_promised<long double>();
}

TEST(WireCodec, messages_are_as_long_as_their_bits) {
  EXPECT_EQ(encoded_bytes(single, 77), 77 * 4);
  EXPECT_EQ(encoded_bytes(shared(13), 0), 0);
  EXPECT_EQ(encoded_bytes(shared(13), 32), 2 + 52);
  EXPECT_EQ(encoded_bytes(shared(13), 33), 2 + 52 + 2 + 2);
  EXPECT_EQ(encoded_bytes(shared(52), 64), 2 * (2 + 208));
}

TEST(WireCodec, parts_that_begin_at_blocks_are_those_of_the_whole) {
  const std::vector<double> x = numbers<double>(100, 0, 8);
  for (const Wire& wire : {single, shared(11)}) {
    std::vector<std::byte> whole(encoded_bytes(wire, 100)), parts(whole.size());
    WireErrors errors;
    encode(wire, std::span(x), whole.data(), errors);
    encode(wire, std::span(x).first(64), parts.data(), errors);
    encode(wire, std::span(x).subspan(64), parts.data() + encoded_bytes(wire, 64), errors);
    EXPECT_EQ(whole, parts);
  }
}

TEST(WireCodec, ties_go_to_even_and_numbers_with_few_bits_are_exact) {
  const std::vector<double> x{7, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 3, -7, 0};
  EXPECT_EQ(through(shared(4), x), (std::vector<double>{7, 0, 2, 2, 0, -2, -2, 3, -7, 0}));
  EXPECT_EQ(through(single, x), x);
  for (int bits = 9; bits <= 52; ++bits) {
    std::vector<double> whole;
    for (int i = -127; i <= 127; ++i) whole.push_back(i);
    EXPECT_EQ(through(shared(bits), whole), whole) << bits;
  }
}

TEST(WireCodec, the_smallest_and_the_largest_numbers_survive) {
  const double tiny = std::numeric_limits<double>::denorm_min(), huge = std::numeric_limits<double>::max();
  for (const int bits : {8, 24, 52}) {
    EXPECT_EQ(through(shared(bits), std::vector<double>{tiny, -3 * tiny, 0}),
              (std::vector<double>{tiny, -3 * tiny, 0}));
    for (const double v : through(shared(bits), std::vector<double>{huge, -huge, 0.9 * huge})) {
      EXPECT_TRUE(std::isfinite(v)) << bits;
      EXPECT_NEAR(std::abs(v) / huge, 1, 0.11);
    }
    const float most = std::numeric_limits<float>::max();
    for (const float v : through(shared(bits), std::vector<float>{most, -most})) EXPECT_TRUE(std::isfinite(v));
  }
  EXPECT_EQ(through(shared(9), std::vector<double>(50, 0.0)), std::vector<double>(50, 0.0));
}

TEST(WireCodec, single_rounds_to_the_nearest_float) {
  const std::vector<double> x = numbers<double>(101, 0, 40);
  const std::vector<double> y = through(single, x);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(y[i], static_cast<double>(static_cast<float>(x[i])));
}

TEST(WireCodec, nan_and_infinity_survive_single_and_cost_nothing) {
  const double inf = std::numeric_limits<double>::infinity();
  WireErrors errors;
  const std::vector<double> y = through<double>(single, {1.0, inf, -inf, std::nan(""), 2.0}, &errors);
  EXPECT_EQ(y[1], inf);
  EXPECT_EQ(y[2], -inf);
  EXPECT_TRUE(std::isnan(y[3]));
  EXPECT_EQ(y[4], 2);
  EXPECT_EQ(errors.relative(), 0);
}

TEST(WireCodec, a_number_too_large_for_a_float_is_reported_as_an_infinite_error) {
  WireErrors errors;
  through<double>(single, {1.0, 1e38, 3.4e38}, &errors);
  EXPECT_LT(errors.relative(), 1e-7);
  through<double>(single, {1.0, 1e300}, &errors);
  EXPECT_EQ(errors.relative(), std::numeric_limits<double>::infinity());
}

TEST(WireCodec, a_block_with_a_nan_is_nan_and_its_neighbours_are_not) {
  for (const double poison : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    std::vector<double> x(70, 1.0);
    x[40] = poison;
    WireErrors errors;
    const std::vector<double> y = through(shared(20), x, &errors);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i / 32 == 1) << i;
    EXPECT_EQ(errors.relative(), std::numeric_limits<double>::infinity());
  }
}

TEST(WireCodec, the_observed_error_is_the_error) {
  for (const Wire& wire : {single, shared(2), shared(12), shared(30), shared(40)})
    for (const int middle : {-1000, -60, 0, 60, 900}) {
      if (wire == single && middle != 0) continue;
      const std::vector<double> x = numbers<double>(1000, middle, 12);
      WireErrors errors;
      const std::vector<double> y = through(wire, x, &errors);
      const double expected = relative_l2(x, y, std::ldexp(1.0, middle));
      EXPECT_GT(expected, 0);
      EXPECT_NEAR(errors.relative() / expected, 1, 1e-6) << text(wire) << " at 2^" << middle;
    }
  WireErrors vanished;
  through(single, std::vector<double>(10, 1e-300), &vanished);
  EXPECT_DOUBLE_EQ(vanished.relative(), 1);
}

TEST(WireCodec, the_observed_error_of_ranks_is_that_of_all_their_numbers) {
  const std::vector<double> a = numbers<double>(500, 0, 4), b = numbers<double>(300, 900, 4, 2);
  WireErrors first, second, both;
  through(shared(10), a, &first);
  through(shared(10), b, &second);
  through(shared(10), a, &both);
  through(shared(10), b, &both);
  first.add(second);
  EXPECT_DOUBLE_EQ(first.relative(), both.relative());
}

// One number of the block just above a power of two, the others half a step: as bad as it gets.
TEST(WireCodec, the_worst_block_is_as_bad_as_the_planner_assumes_and_no_worse) {
  for (const int bits : {8, 20, 40}) {
    std::vector<double> x(32, std::ldexp(1.0, -bits) * (1 + 1e-3));  // rounded up, by nearly half a step
    x[0] = 0.5;
    WireErrors errors;
    through(shared(bits), x, &errors);
    const double limit = std::sqrt(32.0) * std::ldexp(1.0, 1 - bits);
    EXPECT_LT(errors.relative(), limit);
    EXPECT_GT(errors.relative(), 0.9 * limit);
  }
}

}  // namespace
}  // namespace kallima::kernel
