#include "kernel/roots.hpp"

#include <bit>
#include <cmath>
#include <numbers>

namespace kallima::kernel {
namespace {

constexpr int max_digit_bits = 12;

struct Sum {
  double high, low;
};

Sum two_sum(double a, double b) {
  const double s = a + b;
  const double t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}

Sum two_product(double a, double b) {
  const double p = a * b;
  return {p, std::fma(a, b, -p)};
}

// a b - c d, each factor given as high + low.
Sum cross(double a, double al, double b, double bl, double c, double cl, double d, double dl) {
  const Sum ab = two_product(a, b);
  const Sum cd = two_product(c, d);
  const Sum s = two_sum(ab.high, -cd.high);
  const double rest = s.low + ab.low - cd.low + (a * bl + al * b) - (c * dl + cl * d);
  return two_sum(s.high, rest);
}

Sum split(long double x) {
  const double high = static_cast<double>(x);
  return {high, static_cast<double>(x - static_cast<long double>(high))};
}

}  // namespace

Roots::Roots(Index n) : n_(n) {
  const int bits = std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n - 1))));
  const int digits = (bits + max_digit_bits - 1) / max_digit_bits;
  digit_bits_ = (bits + digits - 1) / digits;
  for (int d = 0; d < digits; ++d) {
    const Index weight = Index{1} << (d * digit_bits_);
    const Index count = std::min(Index{1} << digit_bits_, (n - 1) / weight + 1);
    std::vector<Wide>& table = tables_.emplace_back();
    table.reserve(static_cast<std::size_t>(count));
    for (Index j = 0; j < count; ++j) table.push_back(entry(j * weight, n));
  }
}

std::complex<double> Roots::operator()(Index exponent) const {
  const Wide w = root(exponent);
  return {w.re, w.im};
}

std::complex<long double> Roots::wide(Index exponent) const {
  const Wide w = root(exponent);
  return {static_cast<long double>(w.re) + static_cast<long double>(w.re_low),
          static_cast<long double>(w.im) + static_cast<long double>(w.im_low)};
}

Roots::Wide Roots::root(Index exponent) const {
  std::uint64_t e = static_cast<std::uint64_t>(exponent >= n_ ? exponent % n_ : exponent);
  const std::uint64_t mask = (std::uint64_t{1} << digit_bits_) - 1;
  Wide root = tables_[0][e & mask];
  for (std::size_t d = 1; d < tables_.size(); ++d) {
    e >>= digit_bits_;
    if ((e & mask) != 0) root = multiply(root, tables_[d][e & mask]);
  }
  return root;
}

// Takes whole quarter turns off by exact integer arithmetic, so that sine and cosine see at most an eighth of a turn.
Roots::Wide Roots::entry(Index exponent, Index n) {
  const Index quarter = (8 * exponent / n + 1) / 2;    // a shape has at most 2^59 elements: this cannot overflow
  const Index numerator = 4 * exponent - quarter * n;  // what is left is numerator/n quarter turns
  const long double angle =
      std::numbers::pi_v<long double> / 2 * static_cast<long double>(numerator) / static_cast<long double>(n);
  long double c = std::cos(angle);
  long double s = std::sin(angle);
  for (Index q = 0; q < quarter % 4; ++q) {
    const long double old = c;
    c = -s;
    s = old;
  }
  const Sum re = split(c);
  const Sum im = split(-s);
  return {re.high, im.high, re.low, im.low};
}

Roots::Wide Roots::multiply(const Wide& a, const Wide& b) {
  const Sum re = cross(a.re, a.re_low, b.re, b.re_low, a.im, a.im_low, b.im, b.im_low);
  const Sum im = cross(a.re, a.re_low, b.im, b.im_low, -a.im, -a.im_low, b.re, b.re_low);
  return {re.high, im.high, re.low, im.low};
}

}  // namespace kallima::kernel
