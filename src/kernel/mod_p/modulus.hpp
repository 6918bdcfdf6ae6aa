#pragma once
// Integers modulo a prime below 2^50, as whole numbers: what tables and constants are made with. What is hot works on
// doubles, in vectors (residue_codelets.hpp).

#include "base/bits.hpp"
#include "base/check.hpp"

namespace kallima::kernel {

// What the codelets know of a prime.
struct Modulus {
  double p = 3;
  double inverse = 1.0 / 3;
};

class PrimeField {
 public:
  // Throws Error unless p is an odd prime below 2^50.
  explicit PrimeField(std::uint64_t p);

  std::uint64_t prime() const { return p_; }
  Modulus modulus() const { return {static_cast<double>(p_), 1 / static_cast<double>(p_)}; }

  std::uint64_t product(std::uint64_t a, std::uint64_t b) const {
    return static_cast<std::uint64_t>(Uint128{a} * b % p_);
  }
  std::uint64_t power(std::uint64_t base, std::uint64_t exponent) const;
  std::uint64_t inverse(std::uint64_t a) const { return power(a % p_, p_ - 2); }

  // omega_n^k, of forward transforms; negative k are backward. Throws Error where n does not divide p - 1.
  std::uint64_t root(Index n, Index k) const;

  // The representative nearest to zero, as the codelets have them.
  double centred(std::uint64_t a) const { return a > p_ / 2 ? -static_cast<double>(p_ - a) : static_cast<double>(a); }

 private:
  std::uint64_t p_;
  std::uint64_t generator_;
};

}  // namespace kallima::kernel
