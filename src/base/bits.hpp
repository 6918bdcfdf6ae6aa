#pragma once
// Bits of indices that are powers of two, and 128 bits for products of two indices before they are divided again.

#include <bit>

#include "kallima/types.hpp"

namespace kallima {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

constexpr bool power_of_two(Index n) { return n > 0 && (n & (n - 1)) == 0; }

constexpr int log2_of(Index n) {  // rounded down
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))) - 1;
}

// The log2(n) bits of j in reverse order, n a power of two and 0 <= j < n. It is its own inverse.
constexpr Index bit_reversed(Index j, Index n) {
  Index reversed = 0;
  for (; n > 1; n /= 2, j /= 2) reversed = 2 * reversed + j % 2;
  return reversed;
}

}  // namespace kallima
