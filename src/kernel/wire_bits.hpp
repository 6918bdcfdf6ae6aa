#pragma once
// Integers of few bits, one after the other, lowest bit first, as a block of the wire has them. Neighbours are joined
// to longer ones first, and taken apart last, all pairs alike, so that less is left to go number by number.

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

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

}  // namespace kallima::kernel
