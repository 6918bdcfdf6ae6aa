#pragma once
// Where a pass finds its elements: strides of digits on either side, in complex numbers, and of the loops over tiles.
// On the side of time a digit counts what its bits count along the axis, on the side of frequency what the new digit
// does. A kernel's argument, hence plain.

#include <cstdint>

#include "cuda/model/tile.hpp"

namespace kallima::cuda {

// What a kernel does with a tile: forward from time to frequency; mirrored from frequency to time, which is the way
// back; there, times factors, and back; forward into rows of n/2+1 elements; or back from such rows.
enum class TileMode { forward, mirrored, apply, halved, from_halved };

// What an element of a tile is: a complex double, or two complex floats.
enum class TileNumbers { doubles, floats };

// Rows of n/2+1 elements begin anywhere in a line of 128 bytes, the same for all rows of a tile. So that tiles write
// whole lines all the same, between passes rows are longer and begin later by as much: by the number of the row modulo
// what a line holds.

struct TileSide {
  long long loop[tile_loops] = {};
  int digit[most_digits] = {};
  long long pair = 0;  // from one complex float of an element to the other
};

struct TileCall {
  const void* in = nullptr;
  void* out = nullptr;
  const void* factor = nullptr;
  const void* roots[most_axes] = {};  // of unity, as root_exponents() orders them
  TileSide time, frequency, factors;  // factors are read on the side of frequency
  unsigned tiles[tile_loops] = {1, 1, 1};
  std::uint32_t conjugate_in = 0;  // a sign bit, or nothing: exponents of the other sign
  std::uint32_t conjugate_out = 0;
  double scale = 1.0;
  bool real_factors = false;  // in place of complex ones
  int row_shift = 0;          // what a line holds, less one, where rows are shifted by their number
  int row_length = 0;         // n/2+1
  int prefetch = 0;           // 0, or how many tiles ahead to bring lines into the second cache
};

}  // namespace kallima::cuda
