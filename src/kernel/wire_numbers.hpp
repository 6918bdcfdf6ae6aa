#pragma once
// What the wire's codec asks of a block of numbers: how large they are, what they are as integers, the sum of their
// squares. Powers of two are applied as two factors, since one may be out of range where the number it is applied to is
// not.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernel/wire_bits.hpp"

namespace kallima::kernel {

// The largest magnitude; infinity if one of them is no finite number.
template <class W>
W magnitude(const std::array<W, block_reals>& x) {
  if constexpr (sizeof(W) == sizeof(std::uint64_t)) {  // as integers, which compare in any order, NaN included
    std::array<std::uint64_t, 8> largest{};
    for (std::size_t i = 0; i < block_reals; i += largest.size())
      for (std::size_t k = 0; k < largest.size(); ++k)
        largest[k] = std::max(largest[k], std::bit_cast<std::uint64_t>(x[i + k]) & ~(std::uint64_t{1} << 63));
    const W result = std::bit_cast<W>(*std::max_element(largest.begin(), largest.end()));
    return std::isfinite(result) ? result : std::numeric_limits<W>::infinity();
  } else {
    W largest = 0;
    for (const W v : x) {
      if (!std::isfinite(v)) return std::numeric_limits<W>::infinity();
      largest = std::max(largest, std::abs(v));
    }
    return largest;
  }
}

// As frexp's, without its detour where the number is a usual one.
template <class W>
int exponent_of(W magnitude) {
  int exponent = 0;
  if constexpr (std::is_same_v<W, double>)
    if (magnitude >= std::numeric_limits<double>::min())
      return static_cast<int>(std::bit_cast<std::uint64_t>(magnitude) >> 52) - 1022;
  std::frexp(magnitude, &exponent);
  return exponent;
}

template <class W>
struct PowerOfTwo {
  explicit PowerOfTwo(int exponent) : a(half(exponent / 2)), b(half(exponent - exponent / 2)) {}
  W times(W x) const { return x * a * b; }
  static W half(int exponent) {  // of a double's scale: no more than 600 either way
    if constexpr (std::is_same_v<W, double>)
      return std::bit_cast<double>(static_cast<std::int64_t>(exponent + 1023) << 52);
    return std::ldexp(W{1}, exponent);
  }
  W a, b;
};

// To the nearest, ties to even. Added to 1.5 * 2^52 a double has its integer in its last bits.
template <class W>
std::int64_t nearest(W x) {
  constexpr double anchor = 0x1.8p52;
  if constexpr (std::is_same_v<W, double>)
    return std::bit_cast<std::int64_t>(x + anchor) - std::bit_cast<std::int64_t>(anchor);
  else
    return std::llrint(x);
}

// In eight sums, because one would have to be added up in order.
template <class W>
double squares(const std::array<W, block_reals>& x) {
  std::array<double, 8> sums{};
  for (std::size_t i = 0; i < block_reals; i += sums.size())
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const auto v = static_cast<double>(x[i + k]);
      sums[k] += v * v;
    }
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

}  // namespace kallima::kernel
