// Products of integers against school multiplication, on any ranks; carries that go all the way.

#include "kallima/integer.hpp"

#include <gtest/gtest.h>

#include <random>

#include "base/bits.hpp"
#include "exact/digits.hpp"
#include "exact/rounding_plan.hpp"

namespace kallima {
namespace {

using Words = std::vector<std::uint64_t>;

Words school(const Words& a, const Words& b) {
  Words c(a.size() + b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    Uint128 carry = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      carry += Uint128{a[i]} * b[j] + c[i + j];
      c[i + j] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    c[i + b.size()] = static_cast<std::uint64_t>(carry);
  }
  return c;
}

Words local(const IntegerProduct& plan, const Words& all) {
  Words mine(at(plan.local_words()));
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const std::size_t j = at(plan.first_word()) + i;
    mine[i] = j < all.size() ? all[j] : 0;
  }
  return mine;
}

void put(const IntegerProduct& plan, const Words& mine, Words& all) {
  for (std::size_t i = 0, first = at(plan.first_word()); i < mine.size() && first + i < all.size(); ++i)
    all[first + i] = mine[i];
}

// So many words in which every digit of so many bits is 2^(bits-1) - 1, the largest that stays as it is.
Words largest_digits(int bits, std::size_t words) {
  Words x(words, ~std::uint64_t{0});
  for (std::size_t bit = at(bits) - 1; bit < 64 * words; bit += at(bits)) x[bit / 64] -= std::uint64_t{1} << bit % 64;
  return x;
}

void expect_product(const Words& a, const Words& b, int ranks, const IntegerOptions& options = {}) {
  const Words c = school(a, b);
  run_threads(ranks, [&](const Comm& comm) {
    IntegerProduct plan(static_cast<Index>(a.size()), static_cast<Index>(b.size()), comm, options);
    const Words mine_a = local(plan, a), mine_b = local(plan, b);
    Words product(at(plan.local_words()), 99);
    plan.multiply(mine_a, mine_b, product);
    EXPECT_EQ(product, local(plan, c)) << a.size() << " by " << b.size() << " words on " << ranks << ", rank "
                                       << comm.rank();
    if (&a == &b) {
      product.assign(product.size(), 7);
      plan.square(mine_a, product);
      EXPECT_EQ(product, local(plan, c));
    }
  });
}

TEST(IntegerProduct, numbers_of_any_length_on_any_ranks) {
  std::mt19937_64 random(5);
  const auto number = [&](std::size_t words) {
    Words x(words);
    for (std::uint64_t& w : x) w = random();
    return x;
  };
  for (const int ranks : {1, 2, 3, 4, 5, 6, 7})
    for (const auto& [m, n] :
         {std::pair<std::size_t, std::size_t>{1, 1}, {1, 700}, {513, 77}, {2100, 2000}, {3001, 2999}})
      expect_product(number(m), number(n), ranks);
  const Words a = number(2500);
  for (const int ranks : {1, 3}) expect_product(a, a, ranks);
  for (const int ranks : {1, 2, 5}) expect_product(a, number(1999), ranks, {.digits = DigitLength::bits_56});
}

TEST(IntegerProduct, carries_go_through_all_runs_and_ranks) {
  const std::size_t n = 2100;
  const Words ones(n, ~std::uint64_t{0}), middle(n, (std::uint64_t{1} << 63) - 1);
  Words edge(n, (std::uint64_t{1} << 63) - 1);
  edge[0] += 1;  // from here a carry goes through all signed digits
  Words power(n), one{1}, zero(n);
  power[n - 1] = std::uint64_t{1} << 63;
  for (const int ranks : {1, 2, 3, 5}) {
    expect_product(ones, ones, ranks);
    expect_product(ones, one, ranks);
    expect_product(middle, edge, ranks);
    expect_product(edge, ones, ranks);
    expect_product(power, power, ranks);
    expect_product(zero, ones, ranks);
    expect_product(ones, ones, ranks, {.digits = DigitLength::bits_56});
    expect_product(ones, one, ranks, {.digits = DigitLength::bits_56});
  }
}

// Long enough to be rounded: carries through all halves that are added to digits, runs and ranks; factors of which one
// has digits among the imaginary parts, too; and what has none.
TEST(IntegerProduct, what_is_rounded_is_exact_on_any_ranks) {
  std::mt19937_64 random(6);
  const std::size_t n = 2700;
  Words a(n), b(n), shorter(300), longer(5200), one{1}, power(n), zero(n);
  for (Words* const x : {&a, &b, &shorter, &longer})
    for (std::uint64_t& w : *x) w = random();
  power[n - 1] = std::uint64_t{1} << 63;
  const Words ones(n, ~std::uint64_t{0}), ones_twice(2 * n, ~std::uint64_t{0});
  ASSERT_TRUE(plan_rounding(2700, 2700, 7) && plan_rounding(5400, 1, 7));
  for (const int ranks : {1, 2, 3, 4, 5, 6, 7}) {
    expect_product(a, b, ranks);
    expect_product(ones, ones, ranks);
    expect_product(longer, shorter, ranks);
  }
  for (const int ranks : {1, 3}) {
    expect_product(a, a, ranks);
    expect_product(ones_twice, one, ranks);
    expect_product(power, power, ranks);
    expect_product(zero, ones, ranks);
    expect_product(largest_digits(20, n), ones, ranks);
  }
}

// All digits large and of one sign: coefficients have more bits than doubles.
TEST(IntegerProduct, what_cannot_be_rounded_is_done_again_modulo_primes) {
  const std::size_t n = 30000;
  const Words a = largest_digits(plan_rounding(n, n, 1).value().bits, n), one{1};
  for (const int ranks : {1, 2, 3}) {
    Words product(2 * n), expected(2 * n), same(2 * n);
    run_threads(ranks, [&](const Comm& comm) {
      IntegerProduct plan(n, n, comm), exact(n, n, comm, {.method = IntegerMethod::modular});
      Words mine = local(plan, a), other = local(exact, a);
      plan.multiply(mine, local(plan, a), mine);  // in place of a factor
      EXPECT_EQ(plan.redone(), 1);
      exact.square(other, other);
      put(plan, mine, product);
      put(exact, other, expected);
      mine = local(plan, a);
      plan.multiply(mine, local(plan, one), mine);
      EXPECT_EQ(plan.redone(), 1) << "this one can be rounded";
      put(plan, mine, same);
    });
    EXPECT_EQ(product, expected) << ranks << " ranks";
    EXPECT_TRUE(std::equal(a.begin(), a.end(), same.begin())) << ranks << " ranks";
  }
}

TEST(IntegerProduct, long_numbers_have_shorter_digits_that_are_exact_too) {
  const DigitPlan words = plan_digits(5190476, 5190476, 2), bytes = plan_digits(Index{1} << 33, Index{1} << 33, 64);
  EXPECT_EQ(words.kind, DigitKind::word);
  EXPECT_EQ(words.shape.points(), 5 << 21);
  EXPECT_EQ(bytes.kind, DigitKind::seven_bytes);
  EXPECT_EQ(bytes.primes, 3u);
  EXPECT_GE(bytes.shape.points() * 7, (Index{1} << 34) * 8);
}

// Seven bytes a digit, which the numbers of a test are too short for: packed, carried and unpacked.
TEST(IntegerProduct, runs_of_seven_bytes_carry_like_words) {
  std::vector<std::uint64_t> digits(8, (std::uint64_t{1} << 56) - 1);
  EXPECT_EQ(carry_map(DigitKind::seven_bytes, digits, 0)(1), 1);
  EXPECT_EQ(carry_map(DigitKind::seven_bytes, digits, 0)(-1), 0);
  EXPECT_EQ(add_to_run(DigitKind::seven_bytes, digits, 1), 1);
  EXPECT_EQ(carry_map(DigitKind::seven_bytes, digits, 1)(-1), 0);
  EXPECT_EQ(add_to_run(DigitKind::seven_bytes, digits, -1), -1);
  EXPECT_EQ(add_to_run(DigitKind::seven_bytes, digits, Int128{1} << 56), 1);
  EXPECT_EQ(digits[0], (std::uint64_t{1} << 56) - 1);
  EXPECT_EQ(digits[1], 0u);
  std::vector<std::uint64_t> words(7);
  pack_digits(DigitKind::seven_bytes, digits, words);
  EXPECT_EQ(words[0], (std::uint64_t{1} << 56) - 1);
  std::vector<double> residues(8);
  make_residues(DigitKind::seven_bytes, words, 841126395248641, residues);
  constexpr std::int64_t p = 841126395248641, digit = (std::int64_t{1} << 56) - 1;
  EXPECT_EQ((static_cast<std::int64_t>(residues[0]) + p) % p, digit % p);
}

TEST(IntegerProduct, decimal_words_stay_decimal) {
  const std::uint64_t nines = decimal_word - 1;
  const std::size_t n = 3000;
  run_threads(3, [&](const Comm& comm) {  // (10^k - 1)^2 = 10^2k - 2 * 10^k + 1
    IntegerProduct plan(n, n, comm, {.base = WordBase::decimal});
    Words a(at(plan.local_words())), c(a);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = at(plan.first_word()) + i < n ? nines : 0;
    plan.multiply(a, a, c);
    for (std::size_t i = 0; i < c.size(); ++i) {
      const std::size_t j = at(plan.first_word()) + i;
      EXPECT_EQ(c[i], j == 0 ? 1 : j < n ? 0 : j == n ? nines - 1 : j < 2 * n ? nines : 0) << j;
    }
  });
}

TEST(IntegerProduct, longer_factors_than_planned_are_refused_on_all_ranks) {
  run_threads(2, [&](const Comm& comm) {
    IntegerProduct plan(100, 100, comm);
    Words a(at(plan.local_words())), b(a), c(a);
    if (comm.rank() == 0) a[100] = 1;
    EXPECT_THROW(plan.multiply(a, b, c), Error);
    a[100] = 0;
    plan.multiply(a, b, c);
    EXPECT_THROW(plan.multiply(a, b, std::span(c).first(1)), Error);
    EXPECT_THROW(IntegerProduct(0, 5, comm), Error);
  });
}

// Numbers of 18-bit digits in complex doubles have 7.1 bytes for each of theirs: two arrays, in which factors become
// spectra and these the product, what is exchanged, and words twice.
TEST(IntegerProduct, a_product_takes_less_than_fourteen_times_its_bytes) {
  const Index words = 1000000;
  run_threads(2, [&](const Comm& comm) {
    const IntegerProduct product(words, words, comm);
    EXPECT_LT(static_cast<double>(product.memory_bytes()) * comm.size(), 14.0 * 8 * 2 * words);
  });
}

}  // namespace
}  // namespace kallima
