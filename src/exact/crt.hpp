#pragma once
// The whole number that has given residues modulo one to four primes, by Garner's mixed radices: x = t0 + p0 (t1 + p1
// (t2 + p2 t3)), each t computed modulo its prime, in vectors, and the number put together from these in words.

#include <array>
#include <span>
#include <vector>

#include "kallima/types.hpp"

namespace kallima {

inline constexpr std::size_t most_primes = 4;
using Wide = std::array<std::uint64_t, most_primes>;  // words of a number below 2^256, lowest first; two's complement

// Of which range the number is: from 0 on, or around it.
enum class Signed { no, yes };

class Crt {
 public:
  explicit Crt(std::size_t primes);  // the first of ntt_primes

  // Of `count` numbers, whose residues modulo prime k begin at residues[k].
  void join(std::span<const double* const> residues, Index count, Signed range, Wide* numbers) const;
  double bits() const { return bits_; }  // of the product of the primes
  std::size_t primes() const { return primes_; }

 private:
  void join_some(std::span<const double* const> residues, Index first, Index count, Signed range, Wide* numbers) const;

  std::size_t primes_;
  double bits_ = 0;
  Wide half_{};                                                          // of the product of the primes,
  std::array<double, most_primes> halves_{};                             // and modulo each of them
  std::array<std::array<double, most_primes>, most_primes> inverses_{};  // [j][k]: of prime j modulo prime k
};

Wide plus(const Wide& a, const Wide& b);
Wide minus(const Wide& a, const Wide& b);

// The smallest number of primes whose product exceeds 2^bits; throws Error when four are too few.
std::size_t primes_for(double bits);

}  // namespace kallima
