// Primes are proved to be such by Miller and Rabin's test with the first twelve primes as bases, which errs for no
// number below 2^64 (Sorenson and Webster 2015); a generator is one whose powers by (p-1)/q are not 1 for any prime q.

#include "kernel/mod_p/modulus.hpp"

#include <algorithm>
#include <array>

namespace kallima::kernel {
namespace {

std::vector<std::uint64_t> prime_factors(std::uint64_t n) {
  std::vector<std::uint64_t> found;
  for (std::uint64_t q = 2; q * q <= n; ++q)
    if (n % q == 0) {
      found.push_back(q);
      while (n % q == 0) n /= q;
    }
  if (n > 1) found.push_back(n);
  return found;
}

bool is_prime(const PrimeField& field) {
  constexpr std::array<std::uint64_t, 12> bases{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  const std::uint64_t n = field.prime();
  const int twos = std::countr_zero(n - 1);
  return std::ranges::all_of(bases, [&](std::uint64_t base) {
    if (base % n == 0) return true;
    std::uint64_t x = field.power(base, (n - 1) >> twos);
    bool ends_well = x == 1 || x == n - 1;
    for (int i = 1; i < twos && !ends_well; ++i) {
      x = field.product(x, x);
      ends_well = x == n - 1;
    }
    return ends_well;
  });
}

std::uint64_t generator_of(const PrimeField& field) {
  const std::uint64_t order = field.prime() - 1;
  const std::vector<std::uint64_t> factors = prime_factors(order);
  for (std::uint64_t g = 2;; ++g)
    if (std::ranges::all_of(factors, [&](std::uint64_t q) { return field.power(g, order / q) != 1; })) return g;
}

}  // namespace

PrimeField::PrimeField(std::uint64_t p) : p_(p), generator_(1) {
  require(p > 2 && p < (std::uint64_t{1} << 50), "{} is no modulus for residues (they need an odd prime below 2^50)",
          p);
  require(is_prime(*this), "{} is no modulus for residues (it is not prime): take one of ntt_primes()", p);
  generator_ = generator_of(*this);
}

std::uint64_t PrimeField::power(std::uint64_t base, std::uint64_t exponent) const {
  std::uint64_t result = 1;
  for (; exponent > 0; exponent >>= 1, base = product(base, base))
    if (exponent & 1) result = product(result, base);
  return result;
}

std::uint64_t PrimeField::root(Index n, Index k) const {
  const auto order = static_cast<std::uint64_t>(n);
  require(
      n > 0 && (p_ - 1) % order == 0,
      "there is no root of unity of order {} modulo {} ({} is not divisible by it): choose a length that divides it", n,
      p_, p_ - 1);
  const Index turns = (k % n + n) % n;
  return power(power(generator_, (p_ - 1) / order), static_cast<std::uint64_t>(turns));
}

}  // namespace kallima::kernel
