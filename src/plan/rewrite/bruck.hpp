#pragma once
// The arithmetic of Bruck's all-to-all. A block with j ranks to go travels in the rounds of j's binary digits; in the
// message of a round blocks stand in the order of the ranks they had to go at first.

#include <bit>

#include "kallima/types.hpp"

namespace kallima::bruck {

inline int rounds(int ranks) { return std::bit_width(static_cast<unsigned>(ranks - 1)); }

inline int first_round(int j) { return std::countr_zero(static_cast<unsigned>(j)); }

inline int last_round(int j) { return std::bit_width(static_cast<unsigned>(j)) - 1; }

inline bool travels(int j, int round) { return (j >> round) % 2 == 1; }

// Of a block among those of a round in which it travels: how many lower numbers have that digit.
inline Index position(int j, int round) { return (j >> (round + 1) << round) + (j & ((1 << round) - 1)); }

inline Index blocks_in(int round, int ranks) {
  return (ranks >> (round + 1) << round) + (travels(ranks, round) ? ranks & ((1 << round) - 1) : 0);
}

}  // namespace kallima::bruck
