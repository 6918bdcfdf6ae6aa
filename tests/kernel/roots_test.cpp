#include "kernel/roots.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace kallima::kernel {
namespace {

// Half a unit in the last place of x, with room for the reference's own error.
double half_ulp(double x) { return 0.5000001 * std::abs(std::nextafter(x, 2) - x) + 1e-300; }

void expect_correct_to_the_last_bit(Index n, Index step) {
  const Roots roots(n);
  for (Index e = 0; e < n; e += step) {
    const long double angle =
        2 * std::numbers::pi_v<long double> * static_cast<long double>(e) / static_cast<long double>(n);
    const std::complex<double> w = roots.as<double>(e);
    // sine and cosine of a large argument lose a little themselves; 1e-19 covers it in 64-bit long doubles
    EXPECT_NEAR(static_cast<double>(static_cast<long double>(w.real()) - std::cos(angle)), 0,
                half_ulp(w.real()) + 1e-18)
        << e << " of " << n;
    EXPECT_NEAR(static_cast<double>(static_cast<long double>(w.imag()) + std::sin(angle)), 0,
                half_ulp(w.imag()) + 1e-18)
        << e << " of " << n;
  }
}

TEST(Roots, are_correct_to_the_last_bit_for_every_small_n) {
  for (Index n = 1; n <= 100; ++n) expect_correct_to_the_last_bit(n, 1);
}

TEST(Roots, are_correct_to_the_last_bit_when_several_digits_are_multiplied) {
  expect_correct_to_the_last_bit(5000, 1);
  expect_correct_to_the_last_bit(Index{1} << 24, 9973);
  expect_correct_to_the_last_bit(3 * (Index{1} << 36) + 7, (Index{1} << 27) + 12345);
}

TEST(Roots, of_multiples_of_a_quarter_turn_are_exact) {
  const Roots roots(Index{1} << 30);
  EXPECT_EQ(roots.as<double>(0), std::complex<double>(1, 0));
  EXPECT_EQ(roots.as<double>(Index{1} << 28), std::complex<double>(0, -1));
  EXPECT_EQ(roots.as<double>(Index{1} << 29), std::complex<double>(-1, 0));
  EXPECT_EQ(roots.as<double>((Index{1} << 30) + (Index{1} << 28)), std::complex<double>(0, -1));
}

}  // namespace
}  // namespace kallima::kernel
