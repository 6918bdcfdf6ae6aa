#pragma once
// A block of the wire: what the codec asks of its numbers, and integers of few bits, one after the other, lowest bit
// first. Neighbours are joined to longer ones first, and taken apart last, all pairs alike, so that less is left to go
// number by number. Powers of two are applied as two factors, since one may be out of range where the number it is
// applied to is not.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "kallima/wire.hpp"

namespace kallima::kernel {

static_assert(std::endian::native == std::endian::little);
inline constexpr auto block_reals = static_cast<std::size_t>(wire_block);
using Mantissas = std::array<std::int64_t, block_reals>;
using Fields = std::array<std::uint64_t, block_reals>;

inline constexpr int widest_field = 57;  // found whole in the 8 bytes from the one it begins in

inline std::size_t packed_bytes(int bits, std::size_t count) {
  return (count * static_cast<std::size_t>(bits) + 7) / 8;
}

inline Fields joined(const Fields& x, int width) {
  Fields pairs{};
  for (std::size_t i = 0; i < block_reals / 2; ++i) pairs[i] = x[2 * i] | x[2 * i + 1] << width;
  return pairs;
}

inline Fields parted(const Fields& pairs, int width) {
  Fields x;
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  for (std::size_t i = 0; i < block_reals / 2; ++i) {
    x[2 * i] = pairs[i] & mask;
    x[2 * i + 1] = pairs[i] >> width;
  }
  return x;
}

// The first `count` of q; the others are 0.
inline void pack(const Mantissas& q, std::size_t count, int bits, std::byte* to) {
  Fields fields;
  for (std::size_t i = 0; i < block_reals; ++i)
    fields[i] = static_cast<std::uint64_t>(q[i]) & ((std::uint64_t{1} << bits) - 1);
  int width = bits;
  std::size_t left = block_reals;
  for (; 2 * width <= widest_field; width *= 2, left /= 2) fields = joined(fields, width);
  std::array<std::uint64_t, block_reals + 1> words;
  std::uint64_t word = 0;
  std::size_t full = 0;
  int filled = 0;
  for (std::size_t i = 0; i < left; ++i) {
    word |= fields[i] << filled;
    words[full] = word;
    filled += width;
    if (filled < 64) continue;
    ++full;
    filled -= 64;
    word = fields[i] >> (width - filled);
  }
  words[full] = word;
  std::memcpy(to, words.data(), packed_bytes(bits, count));
}

inline void unpack(const std::byte* from, std::size_t count, int bits, Mantissas& q) {
  std::array<std::byte, (block_reals + 1) * sizeof(std::uint64_t)> bytes{};
  std::memcpy(bytes.data(), from, packed_bytes(bits, count));
  int width = bits;
  std::size_t left = block_reals;
  for (; 2 * width <= widest_field; width *= 2) left /= 2;
  Fields fields{};
  for (std::size_t i = 0; i < left; ++i) {
    const std::size_t at = i * static_cast<std::size_t>(width);
    std::memcpy(&fields[i], bytes.data() + at / 8, sizeof fields[i]);
    fields[i] = fields[i] >> (at % 8) & ((std::uint64_t{1} << width) - 1);
  }
  for (; width > bits; width /= 2) fields = parted(fields, width / 2);
  for (std::size_t i = 0; i < block_reals; ++i)  // the sign is the highest of the bits
    q[i] = static_cast<std::int64_t>(fields[i] << (64 - bits)) >> (64 - bits);
}

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
