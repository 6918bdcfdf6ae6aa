#pragma once
// Sorting numbers that are dealt out to ranks: rank r's part goes in, and the r-th part of the sorted whole comes out,
// as long as the one that went in. Numbers are sorted by the order of their bits, read so that it is that of the
// numbers: -0.0 comes before 0.0, and NaNs come last. Equal numbers are equal in every bit, so that any sort is stable.

#include <span>

#include "kallima/comm.hpp"

namespace kallima {

// sample: parts are sorted, splitters found that cut them at the right places, exactly, and everything travels once.
// bitonic: parts are sorted and merged along Batcher's bitonic network of the ranks, any number of them (Lang's network
// where it is no power of two), so that a part travels about log2(P) (log2(P) + 1) / 2 times; parts must be equally
// long, but for the last ones, which may be shorter.
enum class SortMethod { sample, bitonic };

struct SortReport {
  Index sent = 0;            // numbers that this rank has sent
  double local_seconds = 0;  // sorting its own part, before anything is exchanged
  double total_seconds = 0;
  double waiting_seconds = 0;  // with nothing to merge
};

// Collective; all ranks throw or none does.
template <class T>  // std::int32_t, std::int64_t, std::uint32_t, std::uint64_t, float or double
SortReport sort(std::span<T> part, const Comm& comm, SortMethod method = SortMethod::sample);

// What a rank sends at most by the bitonic method, in parts: how many comparators of the network it takes part in.
Index bitonic_rounds(int ranks, int rank);

}  // namespace kallima
