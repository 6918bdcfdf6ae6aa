#pragma once
// Polynomials with exact coefficients: products over the integers, and over the integers modulo any m below 2^63
// products, remainders, and values at points of a geometric progression, at roots of unity and at any points. Products
// are transforms modulo one to four primes (ntt.hpp), as many as the coefficients need; what they are joined to is
// exact. A polynomial is the vector of its coefficients, that of x^0 first. All of it happens on one rank.

#include <memory>
#include <span>

#include "kallima/types.hpp"

namespace kallima {

// A whole number of 128 bits in two's complement.
struct LongInteger {
  std::uint64_t low = 0;
  std::int64_t high = 0;
  bool operator==(const LongInteger&) const = default;
};

// Throws Error where a coefficient might not fit 128 bits.
std::vector<LongInteger> polynomial_product(std::span<const std::int64_t> a, std::span<const std::int64_t> b);

// Of floating point numbers, by real transforms: off by a few ulps of the largest coefficient that there could be.
std::vector<double> polynomial_product(std::span<const double> a, std::span<const double> b);

namespace detail {
class ExactConvolution;
}

// It keeps the transforms it has used: one thread at a time.
class PolynomialRing {
 public:
  using Polynomial = std::vector<std::uint64_t>;  // coefficients below m

  explicit PolynomialRing(std::uint64_t m);  // 2 to 2^63 - 1
  ~PolynomialRing();
  std::uint64_t modulus() const { return m_; }

  Polynomial product(const Polynomial& a, const Polynomial& b) const;
  Polynomial remainder(const Polynomial& a, const Polynomial& divisor) const;  // by one whose first coefficient is 1
  std::uint64_t value(const Polynomial& f, std::uint64_t x) const;             // Horner's

  // f(first ratio^k) for k = 0..count-1, by a chirp (Bluestein 1970): one product. The ratio needs an inverse modulo m.
  std::vector<std::uint64_t> values_in_progression(const Polynomial& f, std::uint64_t first, std::uint64_t ratio,
                                                   Index count) const;
  // At the powers of a root of unity of order n modulo m, a prime: f(root^k) for k = 0..n-1. Throws Error where there
  // is none. root() says which it is.
  std::vector<std::uint64_t> values_at_roots(const Polynomial& f, Index n) const;
  std::uint64_t root(Index n) const;

  // At any points: remainders by products of x - point, halved again and again (Fiduccia 1972).
  std::vector<std::uint64_t> values(const Polynomial& f, std::span<const std::uint64_t> points) const;

 private:
  std::uint64_t m_;
  std::unique_ptr<detail::ExactConvolution> convolution_;
};

}  // namespace kallima
