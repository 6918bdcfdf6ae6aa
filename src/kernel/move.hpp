#pragma once
// Moving line elements between a tile, where each line is contiguous, and wherever a Piece says they live.

#include <algorithm>

#include "schedule/piece_list.hpp"

namespace kallima::kernel {

// Calls copy(outside, in the tile, count) for runs that make up the piece's elements of `lanes` lines, lane_stride
// apart outside and `pitch` in the tile.
void for_each_run(auto* outside, const PieceList::ListedPiece& piece, Index lane_stride, Index lanes, auto* tile,
                  Index pitch, const auto& copy) {
  tile += piece.first;
  if (piece.stride == 1 && piece.every == 1) {
    for (Index b = 0; b < lanes; ++b) copy(outside + b * lane_stride, tile + b * pitch, piece.count);
  } else if (piece.stride == 1) {
    for (Index b = 0; b < lanes; ++b)
      for (Index e = 0; e < piece.count; ++e)
        copy(outside + b * lane_stride + e, tile + b * pitch + e * piece.every, 1);
  } else {
    for (Index e = 0; e < piece.count; ++e)
      for (Index b = 0; b < lanes; ++b)
        copy(outside + e * piece.stride + b * lane_stride, tile + e * piece.every + b * pitch, 1);
  }
}

// Rows far apart are asked for before it is their turn: hardware does not guess such strides.
template <class T>
void prefetch_row(const T* row, Index count) {
  for (Index b = 0; b < count; b += static_cast<Index>(64 / sizeof(T))) __builtin_prefetch(row + b);
}

// Calls copy(real, half) for each real of the piece in `lanes` lines and its place in the listed rows of pairs: real k
// of lane b is the first or second half of rows[k/2][b]. Where lanes are neighbours two rows go at a time, so that a
// vector is two of them interleaved.
template <class T, class Copy>
void for_each_pair(T* at, const PieceList::ListedPiece& piece, Index lane_stride, Index lanes,
                   std::complex<std::remove_const_t<T>>* const* rows, const Copy& copy) {
  using Real = std::remove_const_t<T>;
  const auto half = [&](Index e) {
    const Index k = piece.first + e * piece.every;
    return reinterpret_cast<Real*>(rows[k / 2]) + k % 2;
  };
  constexpr Index rows_ahead = 16;
  Index e = 0;
  if (lane_stride == 1 && piece.every == 1 && piece.first % 2 == 0)
    for (; e + 2 <= piece.count; e += 2) {
      T* const even = at + e * piece.stride;
      T* const odd = even + piece.stride;
      Real* const row = half(e);
      if (e + rows_ahead + 2 <= piece.count) {
        prefetch_row(even + rows_ahead * piece.stride, lanes);
        prefetch_row(odd + rows_ahead * piece.stride, lanes);
      }
#pragma GCC ivdep
      for (Index b = 0; b < lanes; ++b) {
        copy(even[b], row[2 * b]);
        copy(odd[b], row[2 * b + 1]);
      }
    }
  const Index at_once = lane_stride == 1 ? 1 : 64 / static_cast<Index>(sizeof(Real));
  for (; e < piece.count; e += at_once) {
    const Index end = std::min(piece.count, e + at_once);
    if (end == e + 1) {
      Real* const row = half(e);
      for (Index b = 0; b < lanes; ++b) copy(at[b * lane_stride + e * piece.stride], row[2 * b]);
    } else {
      for (Index b = 0; b < lanes; ++b)
        for (Index j = e; j < end; ++j) copy(at[b * lane_stride + j * piece.stride], half(j)[2 * b]);
    }
  }
}

}  // namespace kallima::kernel
