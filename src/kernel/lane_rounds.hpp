#pragma once
// What the rounds of a LaneFft are decided by and made of: where a length is cut, which rows are copied first, and the
// factors of a round.

#include <algorithm>
#include <complex>
#include <cstring>
#include <vector>

#include "kernel/lane_fft.hpp"
#include "kernel/radices.hpp"
#include "kernel/roots.hpp"

namespace kallima::kernel {

template <class T>
std::vector<T> waves_of(Index prime) {
  std::vector<T> waves;
  const Roots roots(prime);
  for (Index k = 1; k <= prime / 2; ++k)
    for (Index j = 1; j <= prime / 2; ++j) {
      const std::complex<T> w = roots.as<T>(j * k);
      waves.insert(waves.end(), {w.real(), -w.imag()});
    }
  return waves;
}

inline constexpr Index longest_in_one = 1024;
inline constexpr Index longest_near = 4096;           // where lanes are neighbours
inline constexpr Index longest_line = 16384;          // by itself: it stays in a second-level cache
inline constexpr std::size_t single_run_bytes = 512;  // of neighbours

// The length of the first part's transforms: about the root of a long length, 1 for a short one. What has a large prime
// in it is done in parts down to that prime by itself, or as a convolution where it is long.
inline Index first_part(Index n) {
  Index best = 1;
  const bool small = has_small_factors(n);
  if ((small && n > longest_in_one) || (!small && n <= longest_by_lanes))
    for (Index d = 2; d * d <= n; ++d)
      if (n % d == 0) best = d;
  return best;
}

// Lanes further than this from a cache line's edge, or the second part would meet one cache set only.
template <class T>
constexpr Index padding(Index lanes) {
  return std::min<Index>(lanes, static_cast<Index>(64 / sizeof(std::complex<T>)));
}

inline constexpr Index longest_brief = 256;
inline constexpr Index longest_apart = 192;  // lines that rounds read and write by elements, not by turning vectors

// A cache line at a time, for which the compiler has instructions.
template <class C>
void copy_row(const C* from, Index count, C* to) {
  constexpr Index line = static_cast<Index>(64 / sizeof(C));
  Index b = 0;
  for (; b + line <= count; b += line) std::memcpy(to + b, from + b, line * sizeof(C));
  std::copy(from + b, from + count, to + b);
}

// Factors by rows as pairs, one after another as butterflies take them, which then have nothing to look up.
template <class T>
void list_pairs(Butterflies<T>& it, std::complex<T>* pairs) {
  it.multiply = Multiply::by_pair;
  it.pairs = pairs;
  for (Index i = 0; i < it.count; ++i)
    for (Index q = 0; q < it.prime; ++q) {
      Index k = it.out.first + i * it.out.each + q * it.out.step;
      if (it.reversed != 0 && k != 0) k = it.reversed - k;
      const std::complex<T> w = it.rows == nullptr ? T(1) : it.rows[k * it.rows_step];
      *pairs++ = {it.scale * w.real(), it.sign * it.scale * w.imag()};
    }
}

inline constexpr Index rows_ahead = 16;  // that are asked for: memory takes as long as copying these

inline constexpr Index fewest_read = 65, fewest_written = 33;  // of fewer rows, rounds are few and short in any case

// Rows that a second-level cache holds are worth copying only where that saves a round.
template <class T>
RowsThatMeet copied(Index n, const RowsThatMeet& meet) {
  if (!narrow_vectors<T>() || n < fewest_written) return {};
  if (meet.far) return {meet.sources && n >= fewest_read, meet.targets, true};
  if (n < fewest_read) return {};
  const bool saves =
      radices_of<T>(n, {.targets = meet.targets}, several).size() < radices_of<T>(n, meet, several).size();
  return {.sources = meet.sources && saves};
}

}  // namespace kallima::kernel
