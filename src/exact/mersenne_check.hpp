#pragma once
// Numbers modulo 2^61 - 1, as a check of products. 2^64 is 8 there, whose powers repeat themselves after 61, so that
// words 61 apart are added before anything is multiplied: it takes as long as reading them.

#include <span>

#include "kallima/types.hpp"

namespace kallima {

inline constexpr std::uint64_t mersenne_prime = (std::uint64_t{1} << 61) - 1;

// What these words are of a number of which they begin with word `first`.
std::uint64_t mersenne_residue(std::span<const std::uint64_t> words, Index first);
std::uint64_t mersenne_sum(std::uint64_t a, std::uint64_t b);  // of residues
std::uint64_t mersenne_product(std::uint64_t a, std::uint64_t b);

}  // namespace kallima
