// Everything but products is products: remainders by power series of the reversed divisor (Newton's iteration), values
// in a progression by a chirp, values at any points by a tree of remainders.

#include "kallima/polynomial.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "exact/exact_convolution.hpp"
#include "kallima/modular.hpp"

namespace kallima {
namespace {

using Polynomial = PolynomialRing::Polynomial;
using Fill = std::function<void(std::uint64_t, std::span<double>)>;

constexpr std::size_t few = 48;  // terms up to which products and values are by definition

double bits_of_terms(std::size_t terms, double bits) { return bits + std::log2(static_cast<double>(terms)) + 1e-6; }

// Modulo m, m below 2^63.
struct Modular {
  std::uint64_t m;
  std::uint64_t sum(std::uint64_t a, std::uint64_t b) const { return a >= m - b ? a - (m - b) : a + b; }
  std::uint64_t difference(std::uint64_t a, std::uint64_t b) const { return a >= b ? a - b : a + (m - b); }
  std::uint64_t product(std::uint64_t a, std::uint64_t b) const {
    return static_cast<std::uint64_t>(Uint128{a} * b % m);
  }
  std::uint64_t power(std::uint64_t base, std::uint64_t exponent) const {
    std::uint64_t result = 1 % m;
    for (; exponent > 0; exponent >>= 1, base = product(base, base))
      if (exponent & 1) result = product(result, base);
    return result;
  }
  std::uint64_t of(const Wide& x) const {  // of one that is not negative
    Uint128 rest = 0;
    for (std::size_t i = x.size(); i-- > 0;) rest = (rest << 64 | x[i]) % m;
    return static_cast<std::uint64_t>(rest);
  }
  // Euclid's; throws Error where there is none.
  std::uint64_t inverse(std::uint64_t a) const {
    Int128 r0 = m, r1 = a % m, t0 = 0, t1 = 1;
    while (r1 != 0) {
      const Int128 q = r0 / r1;
      std::swap(r0 -= q * r1, r1);
      std::swap(t0 -= q * t1, t1);
    }
    require(r0 == 1, "{} has no inverse modulo {} (they share a factor): choose another ratio", a, m);
    return static_cast<std::uint64_t>(t0 < 0 ? t0 + m : t0);
  }
};

Polynomial truncated(Polynomial f, std::size_t terms) {
  f.resize(std::min(f.size(), terms));
  return f;
}

Polynomial reversed(const Polynomial& f) { return {f.rbegin(), f.rend()}; }

}  // namespace

std::vector<LongInteger> polynomial_product(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  if (a.empty() || b.empty()) return {};
  const auto magnitude = [](std::span<const std::int64_t> f) {
    double most = 1;
    for (const std::int64_t c : f) most = std::max(most, std::abs(static_cast<double>(c)));
    return std::log2(most);
  };
  const double bits = bits_of_terms(std::min(a.size(), b.size()), magnitude(a) + magnitude(b)) + 1;
  require(bits < 128, "coefficients of this product may take {:.1f} bits (128 there are): use smaller ones", bits);
  const auto residues = [](std::span<const std::int64_t> f) -> Fill {
    return [f](std::uint64_t p, std::span<double> to) {
      const auto modulus = static_cast<std::int64_t>(p);
      for (std::size_t i = 0; i < f.size(); ++i) to[i] = static_cast<double>(f[i] % modulus);
    };
  };
  detail::ExactConvolution convolution;
  const std::vector<Wide> numbers = convolution(static_cast<Index>(a.size()), static_cast<Index>(b.size()), bits,
                                                Signed::yes, residues(a), residues(b));
  std::vector<LongInteger> product;
  for (const Wide& x : numbers) product.push_back({x[0], static_cast<std::int64_t>(x[1])});
  return product;
}

std::vector<double> polynomial_product(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty()) return {};
  const std::size_t terms = a.size() + b.size() - 1;
  const auto n = static_cast<Index>(std::bit_ceil(std::max<std::size_t>(terms, 8)));
  Fft<double> fft({.shape = {n}, .data = Data::real_}, Comm(), {.effort = Effort::estimate});
  const auto spectrum = [&](std::span<const double> f) {
    std::vector<double> padded(at(n));
    std::ranges::copy(f, padded.begin());
    std::vector<std::complex<double>> result(at(fft.local_size_out()));
    fft.forward(padded, result);
    return result;
  };
  std::vector<std::complex<double>> x = spectrum(a);
  const std::vector<std::complex<double>> y = spectrum(b);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] *= y[k];
  std::vector<double> product(at(n));
  fft.backward(x, product, Norm::full);
  product.resize(terms);
  return product;
}

PolynomialRing::PolynomialRing(std::uint64_t m) : m_(m), convolution_(std::make_unique<detail::ExactConvolution>()) {
  require(m >= 2 && m < (std::uint64_t{1} << 63), "{} is no modulus for polynomials (2 to 2^63 - 1 are)", m);
}
PolynomialRing::~PolynomialRing() = default;

Polynomial PolynomialRing::product(const Polynomial& a, const Polynomial& b) const {
  if (a.empty() || b.empty()) return {};
  const Modular modular{m_};
  if (std::min(a.size(), b.size()) <= few) {
    Polynomial c(a.size() + b.size() - 1);
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < b.size(); ++j) c[i + j] = modular.sum(c[i + j], modular.product(a[i], b[j]));
    return c;
  }
  const auto residues = [](const Polynomial& f) -> Fill {
    return [&f](std::uint64_t p, std::span<double> to) {
      for (std::size_t i = 0; i < f.size(); ++i) to[i] = residue(f[i], p);
    };
  };
  const double bits = bits_of_terms(std::min(a.size(), b.size()), 2 * std::log2(static_cast<double>(m_)));
  const std::vector<Wide> numbers = (*convolution_)(static_cast<Index>(a.size()), static_cast<Index>(b.size()), bits,
                                                    Signed::no, residues(a), residues(b));
  Polynomial c;
  for (const Wide& x : numbers) c.push_back(modular.of(x));
  return c;
}

std::uint64_t PolynomialRing::value(const Polynomial& f, std::uint64_t x) const {
  const Modular modular{m_};
  std::uint64_t y = 0;
  for (std::size_t j = f.size(); j-- > 0;) y = modular.sum(modular.product(y, x % m_), f[j]);
  return y;
}

namespace {

// 1 / f up to x^(terms-1), f(0) being 1: every step g (2 - f g) doubles what is right.
Polynomial inverse_series(const PolynomialRing& ring, const Polynomial& f, std::size_t terms) {
  const Modular modular{ring.modulus()};
  Polynomial g{1 % ring.modulus()};
  for (std::size_t have = 1; have < terms;) {
    have = std::min(2 * have, terms);
    Polynomial correction = truncated(ring.product(truncated(f, have), g), have);
    for (std::uint64_t& c : correction) c = modular.difference(0, c);
    correction[0] = modular.sum(correction[0], 2 % ring.modulus());
    g = truncated(ring.product(g, correction), have);
  }
  return g;
}

// By a monic divisor, whose reversal has this inverse, with as many terms as the quotient.
Polynomial remainder_by(const PolynomialRing& ring, const Polynomial& a, const Polynomial& divisor,
                        const Polynomial& inverse) {
  const std::size_t n = divisor.size() - 1;  // its degree
  if (a.size() <= n) return a;
  const std::size_t terms = a.size() - n;
  const Polynomial quotient =
      reversed(truncated(ring.product(truncated(reversed(a), terms), truncated(inverse, terms)), terms));
  const Polynomial taken = ring.product(quotient, divisor);
  Polynomial rest = truncated(a, n);
  for (std::size_t i = 0; i < n; ++i) rest[i] = Modular{ring.modulus()}.difference(rest[i], taken[i]);
  return rest;
}

}  // namespace

Polynomial PolynomialRing::remainder(const Polynomial& a, const Polynomial& divisor) const {
  require(!divisor.empty() && divisor.back() == 1, "a divisor must begin with 1 (this has {} terms): divide it first",
          divisor.size());
  if (a.size() < divisor.size()) return a;
  return remainder_by(*this, a, divisor, inverse_series(*this, reversed(divisor), a.size() - divisor.size() + 1));
}

// j k = binom(j + k, 2) - binom(j, 2) - binom(k, 2), so that no square root of the ratio is needed.
std::vector<std::uint64_t> PolynomialRing::values_in_progression(const Polynomial& f, std::uint64_t first,
                                                                 std::uint64_t ratio, Index count) const {
  require(count >= 0, "{} points make no progression", count);
  if (f.empty() || count == 0) return std::vector<std::uint64_t>(at(count), 0);
  const Modular modular{m_};
  const std::uint64_t q = ratio % m_, back = modular.inverse(q);
  // Powers of a base by binom(j, 2): the exponents go up by j.
  const auto chirp = [&](std::uint64_t base, std::size_t terms) {
    std::vector<std::uint64_t> powers(terms, 1 % m_);
    std::uint64_t rise = 1 % m_;
    for (std::size_t j = 1; j < terms; ++j, rise = modular.product(rise, base))
      powers[j] = modular.product(powers[j - 1], rise);
    return powers;
  };
  const std::size_t n = f.size(), m = at(count);
  const std::vector<std::uint64_t> forth = chirp(q, n + m - 1), away = chirp(back, std::max(n, m));
  Polynomial turned(n);  // backwards, so that the product's terms are sums over j of what stands at j + k
  std::uint64_t power = 1 % m_;
  for (std::size_t j = 0; j < n; ++j, power = modular.product(power, first % m_))
    turned[n - 1 - j] = modular.product(modular.product(f[j], power), away[j]);
  const Polynomial sums = product(turned, forth);
  std::vector<std::uint64_t> values(m);
  for (std::size_t k = 0; k < m; ++k) values[k] = modular.product(sums[n - 1 + k], away[k]);
  return values;
}

std::uint64_t PolynomialRing::root(Index n) const {
  const auto order = static_cast<std::uint64_t>(n);
  require(n > 0 && (m_ - 1) % order == 0, "there is no root of unity of order {} modulo {} (it does not divide {})", n,
          m_, m_ - 1);
  const Modular modular{m_};
  std::vector<std::uint64_t> primes;
  std::uint64_t rest = order;
  for (std::uint64_t q = 2; q * q <= rest; ++q)
    if (rest % q == 0) {
      primes.push_back(q);
      while (rest % q == 0) rest /= q;
    }
  if (rest > 1) primes.push_back(rest);
  constexpr std::uint64_t tries = 10000;
  for (std::uint64_t g = 2; g < tries && g < m_; ++g) {
    const std::uint64_t w = modular.power(g, (m_ - 1) / order);
    const bool whole = std::ranges::all_of(primes, [&](std::uint64_t q) { return modular.power(w, order / q) != 1; });
    if (whole && modular.power(w, order) == 1) return w;
  }
  require(order == 1 || (order == 2 && m_ > 2), "no root of unity of order {} modulo {} was found (is it a prime?)", n,
          m_);
  return order == 1 ? 1 : m_ - 1;
}

std::vector<std::uint64_t> PolynomialRing::values_at_roots(const Polynomial& f, Index n) const {
  return values_in_progression(f, 1, root(n), n);
}

namespace {

// Products of x - point over ever more points, and the inverses that remainders by them take.
class PointTree {
 public:
  PointTree(const PolynomialRing& ring, std::span<const std::uint64_t> points) : ring_(ring), points_(points) {
    const std::uint64_t m = ring.modulus();
    for (std::size_t i = 0; i < points.size(); i += few) {
      Polynomial leaf{1 % m};
      for (std::size_t j = i; j < std::min(points.size(), i + few); ++j)
        leaf = ring.product(leaf, {Modular{m}.difference(0, points[j] % m), 1 % m});
      levels_.resize(1);
      levels_[0].push_back(std::move(leaf));
    }
    while (levels_.back().size() > 1) {
      std::vector<Polynomial> next;
      const std::vector<Polynomial>& last = levels_.back();
      for (std::size_t i = 0; i + 1 < last.size(); i += 2) next.push_back(ring.product(last[i], last[i + 1]));
      if (last.size() % 2 == 1) next.push_back(last.back());
      levels_.push_back(std::move(next));
    }
  }

  std::vector<std::uint64_t> values(const Polynomial& f) const {
    std::vector<Polynomial> rests{ring_.remainder(f, levels_.back()[0])};
    for (std::size_t level = levels_.size() - 1; level-- > 0;) {
      std::vector<Polynomial> next;
      for (std::size_t i = 0; i < levels_[level].size(); ++i)
        next.push_back(ring_.remainder(rests[i / 2], levels_[level][i]));
      rests = std::move(next);
    }
    std::vector<std::uint64_t> all;
    for (std::size_t i = 0; i < points_.size(); ++i) all.push_back(ring_.value(rests[i / few], points_[i]));
    return all;
  }

 private:
  const PolynomialRing& ring_;
  std::span<const std::uint64_t> points_;
  std::vector<std::vector<Polynomial>> levels_;  // from the points to all of them
};

}  // namespace

std::vector<std::uint64_t> PolynomialRing::values(const Polynomial& f, std::span<const std::uint64_t> points) const {
  if (points.empty()) return {};
  return PointTree(*this, points).values(f);
}

}  // namespace kallima
