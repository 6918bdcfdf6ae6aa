#pragma once
// Into which radices the rounds of a transform divide its length: those that cost least.

#include <vector>

#include "kernel/cpu/codelets.hpp"

namespace kallima::kernel {

bool is_prime(Index n);
bool has_small_factors(Index n);  // up to largest_prime

template <class T>
ButterflyCodelet<T> codelet_of(Index radix);  // null: none

// At which end rows stand so far apart that they fall into the same sets of a cache.
struct RowsThatMeet {
  bool sources = false, targets = false;
  bool far = false;  // of a second-level cache, too
};

// Rows that fall into the same set of a cache and still stay there, or at least in that of the second level.
inline constexpr Index few = 5, several = 8;

// The last round is of at most `most_last` where targets meet.
template <class T>
std::vector<Index> radices_of(Index n, const RowsThatMeet& meet, Index most_last = few);

// Butterflies take a cache line in so many vectors that other rows of its set drive it out between two of them.
template <class T>
bool narrow_vectors() {
  return 4 * static_cast<std::size_t>(codelets<T>().lanes) * sizeof(std::complex<T>) <= 64;
}

}  // namespace kallima::kernel
