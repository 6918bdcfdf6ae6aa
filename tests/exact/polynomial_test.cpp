// Polynomials: products against their definition, values against Horner's.

#include "kallima/polynomial.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <numeric>
#include <random>

#include "base/bits.hpp"

namespace kallima {
namespace {

using Polynomial = PolynomialRing::Polynomial;
constexpr std::uint64_t large = 9223372036854775783u;  // the largest prime below 2^63
constexpr std::uint64_t usual = 998244353;

Polynomial some(std::size_t terms, std::uint64_t m, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Polynomial f(terms);
  for (std::uint64_t& c : f) c = random() % m;
  return f;
}

TEST(Polynomial, products_over_the_integers_are_exact) {
  std::mt19937_64 random(3);
  for (const auto& [n, m] : {std::pair<std::size_t, std::size_t>{1, 1}, {7, 300}, {1000, 777}}) {
    std::vector<std::int64_t> a(n), b(m);
    for (std::int64_t& c : a) c = static_cast<std::int64_t>(random()) >> 3;
    for (std::int64_t& c : b) c = static_cast<std::int64_t>(random()) >> 6;
    const std::vector<LongInteger> product = polynomial_product(a, b);
    std::vector<Int128> sums(n + m - 1);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < m; ++j) sums[i + j] += Int128{a[i]} * b[j];
    ASSERT_EQ(product.size(), sums.size());
    for (std::size_t k = 0; k < sums.size(); ++k)
      EXPECT_EQ(product[k],
                (LongInteger{static_cast<std::uint64_t>(sums[k]), static_cast<std::int64_t>(sums[k] >> 64)}));
  }
  const std::vector<std::int64_t> extreme(100, INT64_MIN);
  EXPECT_THROW(polynomial_product(extreme, extreme), Error);
}

TEST(Polynomial, products_of_reals_are_close) {
  const std::vector<double> a{1, -2, 3}, b{0.5, 4};
  const std::vector<double> product = polynomial_product(a, b), expected{0.5, 3, -6.5, 12};
  ASSERT_EQ(product.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(product[k], expected[k], 1e-14);
}

TEST(Polynomial, products_modulo_anything_are_exact) {
  for (const std::uint64_t m : {std::uint64_t{2}, usual, large, std::uint64_t{1} << 62}) {
    const PolynomialRing ring(m);
    for (const auto& [n, k] : {std::pair<std::size_t, std::size_t>{60, 50}, {500, 501}}) {
      const Polynomial a = some(n, m, 1), b = some(k, m, 2), c = ring.product(a, b);
      for (const std::size_t at : {std::size_t{0}, n / 2, n + k - 2}) {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < n; ++i)
          if (at >= i && at - i < k) sum = static_cast<std::uint64_t>((Uint128{a[i]} * b[at - i] + sum) % m);
        EXPECT_EQ(c[at], sum) << m;
      }
    }
  }
}

TEST(Polynomial, remainders_have_the_same_values_at_zeros_of_the_divisor) {
  const PolynomialRing ring(large);
  const Polynomial f = some(1000, large, 4), points = some(70, large, 5);
  Polynomial divisor{1};
  for (const std::uint64_t x : points) divisor = ring.product(divisor, {large - x, 1});
  const Polynomial rest = ring.remainder(f, divisor);
  EXPECT_EQ(rest.size(), 70u);
  for (const std::uint64_t x : points) EXPECT_EQ(ring.value(rest, x), ring.value(f, x));
  EXPECT_THROW(ring.remainder(f, {1, 2}), Error);
}

TEST(Polynomial, values_in_progressions_are_horners) {
  const PolynomialRing ring(large);
  std::vector<Index> lengths(300);
  std::iota(lengths.begin(), lengths.end(), Index{1});
  std::mt19937_64 random(8);
  for (int i = 0; i < 2; ++i) lengths.push_back(2000 + static_cast<Index>(random() % 2000));
  for (const Index n : lengths) {
    const Polynomial f = some(at(n), large, at(n));
    for (const Index count : {n, n % 20 == 0 ? 2 * n + 3 : Index{1}}) {
      const std::vector<std::uint64_t> y = ring.values_in_progression(f, 12345, 678901234567, count);
      std::uint64_t x = 12345;
      for (const std::uint64_t value : y) {
        EXPECT_EQ(value, ring.value(f, x)) << n;
        x = static_cast<std::uint64_t>(Uint128{x} * 678901234567 % large);
      }
    }
  }
  EXPECT_THROW(PolynomialRing(100).values_in_progression({1, 2}, 1, 10, 5), Error);
}

// For each n a prime that has roots of that order: the least k n + 1.
TEST(Polynomial, values_at_roots_of_unity_for_all_small_orders) {
  const auto is_prime = [](std::uint64_t p) {
    for (std::uint64_t q = 2; q * q <= p; ++q)
      if (p % q == 0) return false;
    return p > 1;
  };
  for (Index n = 1; n <= 300; ++n) {
    std::uint64_t p = static_cast<std::uint64_t>(n) * 1000 + 1;
    while (!is_prime(p)) p += static_cast<std::uint64_t>(n);
    const PolynomialRing ring(p);
    const Polynomial f = some(at(n) + 3, p, at(n));
    const std::vector<std::uint64_t> y = ring.values_at_roots(f, n);
    const std::uint64_t w = ring.root(n);
    std::uint64_t x = 1;
    for (Index k = 0; k < n; ++k, x = x * w % p) EXPECT_EQ(y[at(k)], ring.value(f, x)) << n;
    EXPECT_EQ(x, 1u);
  }
}

// Orders that divide p - 1 = 2^23 * 7 * 17, at points here and there.
TEST(Polynomial, values_at_roots_of_unity_for_large_orders) {
  const PolynomialRing ring(usual);
  for (const Index n : {Index{1} << 16, Index{7} << 13, Index{17 * 7} << 9, Index{17} << 12}) {
    const Polynomial f = some(at(n) - 5, usual, at(n));
    const std::vector<std::uint64_t> y = ring.values_at_roots(f, n);
    std::vector<std::uint64_t> powers{1};
    for (Index k = 1; k < n; ++k) powers.push_back(powers.back() * ring.root(n) % usual);
    for (Index k = 0; k < n; k += n / 19) EXPECT_EQ(y[at(k)], ring.value(f, powers[at(k)])) << n;
  }
}

// As many terms and points as KALLIMA_HORNER_POINTS says, all points: 10^5 take about a minute.
TEST(Polynomial, values_at_many_points_are_horners_at_all_of_them) {
  const char* const asked = std::getenv("KALLIMA_HORNER_POINTS");
  const auto n = asked == nullptr ? std::size_t{2000} : static_cast<std::size_t>(std::atol(asked));
  const PolynomialRing ring(usual);
  const Polynomial f = some(n, usual, 10), points = some(n, usual, 11);
  const std::vector<std::uint64_t> y = ring.values(f, points);
  std::size_t wrong = 0;
  constexpr std::size_t together = 8;  // points, so that their multiplications need not wait for each other
  for (std::size_t i = 0; i < n; i += together) {
    std::array<std::uint64_t, together> x{}, sum{};
    const std::size_t count = std::min(together, n - i);
    std::copy_n(points.begin() + static_cast<Index>(i), count, x.begin());
    for (std::size_t k = n; k-- > 0;)
      for (std::size_t j = 0; j < together; ++j) sum[j] = (sum[j] * x[j] + f[k]) % usual;
    for (std::size_t j = 0; j < count; ++j) wrong += y[i + j] != sum[j] ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0u) << "of " << n;
}

TEST(Polynomial, values_at_any_points_are_horners) {
  for (const std::uint64_t m : {usual, large}) {
    const PolynomialRing ring(m);
    for (const auto& [terms, count] :
         {std::pair<std::size_t, std::size_t>{1, 3}, {500, 47}, {3000, 2500}, {100, 1000}}) {
      const Polynomial f = some(terms, m, 6);
      const std::vector<std::uint64_t> points = some(count, m, 7), y = ring.values(f, points);
      ASSERT_EQ(y.size(), count);
      for (std::size_t i = 0; i < count; i += 1 + i / 5) EXPECT_EQ(y[i], ring.value(f, points[i])) << terms;
    }
  }
}

}  // namespace
}  // namespace kallima
