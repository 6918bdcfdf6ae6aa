#pragma once
// The passes there are kernels for. A three-dimensional transform whose middle axis is split takes two: the first does
// x and the high part of y, whole rows; the second the low part of y and z, for as many neighbouring x as make a line
// of 128 bytes, which is what decides the speed of strided memory. Such a tile is half a MiB, hence clusters: of
// sixteen blocks of which a processor holds four or five, since these hide one another's waits better than two of twice
// the size.

#include "cuda/model/tile.hpp"

namespace kallima::cuda {

// x of 256, and 16 rows that are 16 apart of 256.
struct Rows256 {
  static constexpr Tile tile = {
      .steps = 3,
      .digits = 3,
      .digit = {{{0, 0, 4, 2}, {0, 4, 4, 1}, {1, 4, 4, 0}}},
      .axis_bits = {8, 8},
      .low_loop = {-1, 0, -1},
      .order = {{{8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7},
                 {4, 5, 6, 7, 0, 1, 2, 3, 8, 9, 10, 11},
                 {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}},
      .address = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
      .swizzle = {4, 5, 6},
      .pairs_are_neighbours = false,
  };
};

// The 16 neighbouring rows of 256, and z of 256, for 8 neighbouring elements.
struct Columns256 {
  static constexpr Tile tile = {
      .threads = 7,
      .ranks = 4,
      .steps = 3,
      .digits = 4,
      .digit = {{{0, 0, 3, -1}, {1, 0, 4, 0}, {2, 0, 4, 2}, {2, 4, 4, 1}}},
      .axis_bits = {8, 8, 8},
      .order = {{{3, 4, 5, 6, 0, 1, 2, 7, 8, 9, 10, 11, 12, 13, 14},
                 {11, 12, 13, 14, 0, 1, 2, 7, 8, 9, 10, 3, 4, 5, 6},
                 {7, 8, 9, 10, 0, 1, 2, 11, 12, 13, 14, 3, 4, 5, 6}}},
      .address = {0, 1, 2, 7, 8, 9, 10, 11, 12, 13, 14},
      .blocks_per_sm = 4,
  };
};

// The same with five blocks on a processor, which fewer registers are enough for where there is no way back.
struct CrowdedColumns256 {
  static constexpr Tile tile = with_blocks(Columns256::tile, 5);
};

// 8 lines of 256, one behind the other.
struct Lines256 {
  static constexpr Tile tile = {
      .threads = 7,
      .steps = 2,
      .digits = 3,
      .digit = {{{0, 0, 4, 1}, {0, 4, 4, 0}, {1, 0, 3, -1}}},
      .axis_bits = {8},
      .order = {{{4, 5, 6, 7, 0, 1, 2, 3, 8, 9, 10}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}},
      .address = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
      .swizzle = {4, 5, 6},
      .pairs_are_neighbours = false,
      .blocks_per_sm = 4,
  };
};

// x of 512, and 64 rows that are 8 apart of 512.
struct Rows512 {
  static constexpr Tile tile = {
      .threads = 7,
      .ranks = 4,
      .steps = 4,
      .digits = 5,
      .digit = {{{0, 0, 3, 3}, {0, 3, 4, 2}, {0, 7, 2, 1}, {1, 3, 2, 1}, {1, 5, 4, 0}}},
      .axis_bits = {9, 9},
      .low_loop = {-1, 0, -1},
      .order = {{{11, 12, 13, 14, 0, 1, 2, 3, 4, 9, 10, 5, 6, 7, 8},
                 {7, 8, 9, 10, 0, 1, 2, 3, 4, 5, 6, 11, 12, 13, 14},
                 {3, 4, 5, 6, 0, 1, 2, 7, 8, 9, 10, 11, 12, 13, 14},
                 {0, 1, 2, 6, 7, 8, 3, 4, 5, 9, 10, 11, 12, 13, 14}}},
      .address = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
      .swizzle = {7, 8, 3},
      .pairs_are_neighbours = false,
      .blocks_per_sm = 5,
  };
};

// The same with 32 elements a thread: one exchange less, which pays in double precision, in blocks of twice the size.
struct WideRows512 {
  static constexpr Tile tile = {
      .registers = 5,
      .threads = 7,
      .ranks = 3,
      .steps = 3,
      .digits = 4,
      .digit = {{{0, 0, 5, 2}, {0, 5, 4, 1}, {1, 3, 1, 1}, {1, 4, 5, 0}}},
      .axis_bits = {9, 9},
      .low_loop = {-1, 0, -1},
      .order = {{{10, 11, 12, 13, 14, 0, 1, 2, 3, 4, 5, 9, 6, 7, 8},
                 {5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 10, 11, 12, 13, 14},
                 {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}}},
      .address = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
      .swizzle = {5, 6, 7},
      .pairs_are_neighbours = false,
      .blocks_per_sm = 3,
  };
};

// The 8 neighbouring rows of 512, and z of 512, for 8 neighbouring elements.
struct Columns512 {
  static constexpr Tile tile = {
      .threads = 7,
      .ranks = 4,
      .steps = 3,
      .digits = 5,
      .digit = {{{0, 0, 3, -1}, {1, 0, 3, 0}, {2, 0, 4, 2}, {2, 4, 4, 1}, {2, 8, 1, 0}}},
      .axis_bits = {9, 9, 9},
      .order = {{{3, 4, 5, 14, 0, 1, 2, 6, 7, 8, 9, 10, 11, 12, 13},
                 {10, 11, 12, 13, 0, 1, 2, 6, 7, 8, 9, 3, 4, 5, 14},
                 {6, 7, 8, 9, 0, 1, 2, 10, 11, 12, 13, 3, 4, 5, 14}}},
      .address = {0, 1, 2, 6, 7, 8, 9, 10, 11, 12, 13},
      .blocks_per_sm = 4,
  };
};

// Rows of 256 reals, two by two 128 complex numbers, of 16 rows that are 16 apart, in two planes.
struct RealRows256 {
  static constexpr Tile tile = {
      .steps = 3,
      .digits = 4,
      .digit = {{{0, 0, 3, 2}, {0, 3, 4, 1}, {2, 0, 1, -1}, {1, 4, 4, 0}}},
      .axis_bits = {8, 8, 8},
      .low_loop = {-1, 0, -1},
      .order = {{{8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7},
                 {3, 4, 5, 6, 0, 1, 2, 7, 8, 9, 10, 11},
                 {0, 1, 2, 7, 3, 4, 5, 6, 8, 9, 10, 11}}},
      .address = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
      .swizzle = {3, 4, 5},
      .pairs_are_neighbours = false,
      .reals = true,
  };
};

// x of 1024, and 16 rows that are 64 apart of 1024: the first of three passes.
struct Rows1024 {
  static constexpr Tile tile = {
      .registers = 5,
      .threads = 6,
      .ranks = 3,
      .steps = 3,
      .digits = 4,
      .digit = {{{0, 0, 4, 2}, {0, 4, 5, 1}, {0, 9, 1, 0}, {1, 6, 4, 0}}},
      .axis_bits = {10, 10},
      .low_loop = {-1, 0, -1},
      .order = {{{9, 10, 11, 12, 13, 0, 1, 2, 3, 4, 5, 6, 7, 8},
                 {4, 5, 6, 7, 8, 0, 1, 2, 3, 9, 10, 11, 12, 13},
                 {0, 1, 2, 3, 8, 9, 4, 5, 6, 7, 10, 11, 12, 13}}},
      .address = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
      .swizzle = {9, 4, 5},
      .pairs_are_neighbours = false,
      .blocks_per_sm = 4,
  };
};

// The 64 neighbouring rows, and 4 planes that are 256 apart of 1024, for 16 neighbouring elements.
struct Middle1024 {
  static constexpr Tile tile = {
      .steps = 2,
      .digits = 4,
      .digit = {{{0, 0, 4, -1}, {1, 0, 4, 1}, {1, 4, 2, 0}, {2, 8, 2, 0}}},
      .axis_bits = {10, 10, 10},
      .low_loop = {-1, -1, 2},
      .order = {{{8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 6, 7, 0, 1, 2, 3, 8, 9, 10, 11}}},
      .address = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
  };
};

// 256 neighbours along an axis, the lowest ones of 1024, for 16 neighbouring elements.
struct Columns1024 {
  static constexpr Tile tile = {
      .steps = 2,
      .digits = 3,
      .digit = {{{0, 0, 4, -1}, {2, 0, 4, 1}, {2, 4, 4, 0}}},
      .axis_bits = {10, 0, 10},
      .order = {{{8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 6, 7, 0, 1, 2, 3, 8, 9, 10, 11}}},
      .address = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
  };
};

// The high half of a line of 2^24, for 8 neighbouring elements.
struct HighHalf24 {
  static constexpr Tile tile = {
      .ranks = 3,
      .steps = 3,
      .digits = 4,
      .digit = {{{0, 0, 3, -1}, {0, 12, 4, 2}, {0, 16, 4, 1}, {0, 20, 4, 0}}},
      .axis_bits = {24},
      .low_loop = {0, -1, -1},
      .low_shift = {3, 0, 0},
      .order = {{{11, 12, 13, 14, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
                 {7, 8, 9, 10, 0, 1, 2, 3, 4, 5, 6, 11, 12, 13, 14},
                 {3, 4, 5, 6, 0, 1, 2, 7, 8, 9, 10, 11, 12, 13, 14}}},
      .address = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
  };
};

// Its low half, 4096 neighbours, for 8 neighbouring frequencies of the high half.
struct LowHalf24 {
  static constexpr Tile tile = {
      .ranks = 3,
      .steps = 3,
      .digits = 4,
      .digit = {{{1, 0, 3, -1}, {0, 0, 4, 2}, {0, 4, 4, 1}, {0, 8, 4, 0}}},
      .axis_bits = {12},
      .order = {{{11, 12, 13, 14, 3, 4, 5, 6, 7, 0, 1, 2, 8, 9, 10},
                 {7, 8, 9, 10, 0, 1, 2, 3, 4, 5, 6, 11, 12, 13, 14},
                 {3, 4, 5, 6, 0, 1, 2, 7, 8, 9, 10, 11, 12, 13, 14}}},
      .address = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
      .swizzle = {3, 4, 5},
  };
};

// x of 8192, and 4 rows that are 2048 apart of 8192.
struct Rows8192 {
  static constexpr Tile tile = {
      .registers = 5,
      .threads = 7,
      .ranks = 3,
      .steps = 3,
      .digits = 4,
      .digit = {{{0, 0, 5, 2}, {0, 5, 5, 1}, {0, 10, 3, 0}, {1, 11, 2, 0}}},
      .axis_bits = {13, 13},
      .low_loop = {-1, 0, -1},
      .order = {{{10, 11, 12, 13, 14, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
                 {5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 10, 11, 12, 13, 14},
                 {0, 1, 2, 3, 4, 10, 11, 5, 6, 7, 8, 9, 12, 13, 14}}},
      .address = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
      .swizzle = {10, 11, 5},
      .pairs_are_neighbours = false,
  };
};

// The 2048 neighbouring rows of 8192, for 16 neighbouring elements.
struct Columns8192 {
  static constexpr Tile tile = {
      .ranks = 3,
      .steps = 3,
      .digits = 4,
      .digit = {{{0, 0, 4, -1}, {1, 0, 3, 2}, {1, 3, 4, 1}, {1, 7, 4, 0}}},
      .axis_bits = {13, 13},
      .order = {{{11, 12, 13, 14, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
                 {7, 8, 9, 10, 0, 1, 2, 3, 4, 5, 6, 11, 12, 13, 14},
                 {4, 5, 6, 11, 0, 1, 2, 3, 7, 8, 9, 10, 12, 13, 14}}},
      .address = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
  };
};

}  // namespace kallima::cuda
