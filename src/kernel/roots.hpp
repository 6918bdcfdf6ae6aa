#pragma once
// Roots of unity, each correct to the last bit of a double. A table of all n roots would be as large as the data, so
// an exponent is written in digits of at most 12 bits and the root is the product of one table entry per digit,
// carried in twice the precision of a double until the final rounding; long doubles get what of that they can hold.

#include <complex>
#include <type_traits>
#include <vector>

#include "kallima/types.hpp"

namespace kallima::kernel {

struct Twofold {  // an unevaluated sum
  double high, low;
  template <class T>
  T as() const {
    return std::is_same_v<T, long double> ? static_cast<T>(high) + static_cast<T>(low) : static_cast<T>(high);
  }
};

class Roots {
 public:
  explicit Roots(Index n);

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
  static Wide entry(Index exponent, Index n);
  Wide root(Index exponent) const;

  Index n_;
  int digit_bits_;
  std::vector<std::vector<Wide>> tables_;  // one per digit, least significant first
};

}  // namespace kallima::kernel
