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
};

template <class T>
std::vector<Index> radices_of(Index n, const RowsThatMeet& meet);

}  // namespace kallima::kernel
