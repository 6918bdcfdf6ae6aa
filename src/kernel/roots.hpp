#pragma once
// Roots of unity, each correct to the last bit of a double. A table of all n roots would be as large as the data, so
// an exponent is written in digits of at most 8 bits and the root is the product of one table entry per digit,
// carried in twice the precision of a double until the final rounding; long doubles get what of that they can hold.

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <type_traits>

#include "kallima/types.hpp"

namespace kallima::kernel {

struct Twofold {  // an unevaluated sum
  double high, low;
  template <class T>
  T as() const {
    return std::is_same_v<T, long double> ? static_cast<T>(high) + static_cast<T>(low) : static_cast<T>(high);
  }
};

inline constexpr int max_digit_bits = 8;  // cosines of long doubles take microseconds, products nanoseconds

inline Twofold two_sum(double a, double b) {
  const double s = a + b;
  const double t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}

inline Twofold two_product(double a, double b) {
  const double p = a * b;
  return {p, std::fma(a, b, -p)};
}

// a b - c d
inline Twofold cross(const Twofold& a, const Twofold& b, const Twofold& c, const Twofold& d) {
  const Twofold ab = two_product(a.high, b.high);
  const Twofold cd = two_product(c.high, d.high);
  const Twofold s = two_sum(ab.high, -cd.high);
  const double low = s.low + ab.low - cd.low + (a.high * b.low + a.low * b.high) - (c.high * d.low + c.low * d.high);
  return two_sum(s.high, low);
}

inline Twofold twofold(long double x) {
  const double high = static_cast<double>(x);
  return {high, static_cast<double>(x - static_cast<long double>(high))};
}

class Roots {
 public:
  explicit Roots(Index n) : n_(n) {
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

  // exp(-2 pi i exponent/n), any exponent >= 0; to about 1e-30 where long doubles are that long.
  template <class T>
  std::complex<T> as(Index exponent) const {
    const Wide w = root(exponent);
    return {w.re.as<T>(), w.im.as<T>()};
  }

 private:
  struct Wide {
    Twofold re, im;
  };
  // Takes whole quarter turns off by exact integer arithmetic, so that sine and cosine see at most an eighth of a turn.
  static Wide entry(Index exponent, Index n) {
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
    return {twofold(c), twofold(-s)};
  }

  Wide root(Index exponent) const {
    std::uint64_t e = static_cast<std::uint64_t>(exponent >= n_ ? exponent % n_ : exponent);
    const std::uint64_t mask = (std::uint64_t{1} << digit_bits_) - 1;
    Wide root = tables_[0][e & mask];
    for (std::size_t d = 1; d < tables_.size(); ++d) {
      e >>= digit_bits_;
      if ((e & mask) == 0) continue;
      const Wide& w = tables_[d][e & mask];
      const Twofold minus_im{-root.im.high, -root.im.low};
      root = {cross(root.re, w.re, root.im, w.im), cross(root.re, w.im, minus_im, w.re)};
    }
    return root;
  }

  Index n_;
  int digit_bits_;
  std::vector<std::vector<Wide>> tables_;  // one per digit, least significant first
};

}  // namespace kallima::kernel
