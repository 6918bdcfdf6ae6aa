#pragma once
// Between rows of a tile, whose lanes are neighbours, and the lines these are of: a few cache lines' worth of each line
// at a time, turned in registers.

#include <algorithm>

#include "kernel/rows.hpp"

namespace kallima::kernel {

struct LinePart {  // rows that are neighbours in the lines they are of
  Index first, count;
};

inline constexpr Index most_turned = 32;  // elements of a line at once

// Hardware does not guess where lines go on that are gone through in turns. What is only read stays where other
// processors have it, too.
template <bool writes, class T>
void ask_for_lines(const Row<std::complex<T>>& line, Index first, Index lanes, Index j) {
  constexpr int second_level = 2;
  const std::complex<T>* const lines = line.p + first * line.stride + j;
  for (Index b = 0; b < lanes; ++b)
    for (Index i = 0; i < most_turned; i += static_cast<Index>(64 / sizeof(std::complex<T>)))
      __builtin_prefetch(lines + b * line.stride + i, writes ? 1 : 0, second_level);
}

// Row part.first + k of the tile is element k of lines that stand where lane 0's is given.
template <bool writes, class T>
void turn_lines(const Row<std::complex<T>>& line, const LinePart& part, Index first, Index lanes,
                std::complex<T>* tile) {
  const auto turn_vectors = writes ? codelets<T>().turn_into_lines : codelets<T>().turn_into_rows;
  const Index whole = part.count / codelets<T>().lanes * codelets<T>().lanes;
  std::complex<T>* const lines = line.p + first * line.stride;
  const auto row = [&](Index k) { return spread_row<T>(part.first + k, lanes); };
  for (Index j = 0; j < whole; j += most_turned) {
    Index rows[most_turned];
    const Index count = std::min(most_turned, whole - j);
    for (Index i = 0; i < count; ++i) rows[i] = row(j + i);
    if (j + most_turned < part.count) ask_for_lines<writes>(line, first, lanes, j + most_turned);
    turn_vectors(
        {.tile = tile, .at = rows, .count = count, .lanes = lanes, .lines = lines + j, .line_apart = line.stride});
  }
  for (Index k = whole; k < part.count; ++k)
    for (Index b = 0; b < lanes; ++b) {
      std::complex<T>&outside = lines[b * line.stride + k], &inside = tile[row(k) + b];
      writes ? outside = inside : inside = outside;
    }
}

}  // namespace kallima::kernel
