#pragma once
// What one pass over device memory does, as a value. A tile is 2^bits elements of an array that a cluster of thread
// blocks holds at once: the bits of an element's place in the tile are spread over registers, threads and blocks
// (ranks). A pass is a sequence of steps; at each one the bits of the digits to be transformed stand in registers, and
// between steps the elements move so that other bits stand there. Digits are transformed from the highest of an axis
// to the lowest (decimation in frequency): a digit of `bits` bits above `low` others becomes the next higher digit of
// the frequency, and is multiplied by exp(-2 pi i k m / 2^(low+bits)), k being the new digit and m the bits below it,
// whether these are in the tile or belong to the place of the tile. That is all there is to know about a kernel: tests
// run descriptions like these on the processor.

#include <array>

namespace kallima::cuda {

inline constexpr int most_steps = 4, most_digits = 8, most_axes = 3, most_bits = 18, tile_loops = 3;

// Neighbouring bits of an axis, numbered from the axis' lowest one. step -1: they are there, but not transformed.
struct Digit {
  int axis = -1;
  int low = 0;
  int bits = 0;
  int step = -1;
};

struct Tile {
  int registers = 4, threads = 8, ranks = 0;  // bits
  int steps = 0;
  int digits = 0;
  std::array<Digit, most_digits> digit = {};  // bit 0 of the tile is the lowest of the first
  std::array<int, most_axes> axis_bits = {};  // of the whole axes
  // Which loop over tiles counts the bits of an axis that lie below those in the tile, and how many of the tile's
  // bits lie below these; -1: none does.
  std::array<int, most_axes> low_loop = {-1, -1, -1};
  std::array<int, most_axes> low_shift = {};
  // Which bit stands where at each step: registers first, then threads, then ranks.
  std::array<std::array<int, most_bits>, most_steps> order = {};
  // Where elements stand in shared memory: bit j of the address is this bit of the tile, and the lowest three are
  // exchanged among themselves by those of the address that `swizzle` names (-1: by none), against bank conflicts.
  std::array<int, most_bits> address = {};
  std::array<int, 3> swizzle = {-1, -1, -1};
  // Two complex floats travel as one element. Either the two are neighbours in memory, or they are of two arrays.
  bool pairs_are_neighbours = true;
  bool reals = false;  // rows of real numbers, two by two; see real_rows.cuh
  int blocks_per_sm = 2;

  constexpr int local_bits() const { return registers + threads; }
  constexpr int bits() const { return registers + threads + ranks; }
};

constexpr Tile with_blocks(Tile tile, int blocks_per_sm) {
  tile.blocks_per_sm = blocks_per_sm;
  return tile;
}

constexpr int first_bit(const Tile& tile, int digit) {
  int first = 0;
  for (int d = 0; d < digit; ++d) first += tile.digit[d].bits;
  return first;
}

constexpr int position_of(const Tile& tile, int step, int bit) {
  for (int p = 0; p < tile.bits(); ++p)
    if (tile.order[step][p] == bit) return p;
  return -1;
}

// The part of a digit's value that `index` gives, an index into registers, threads and ranks, in this order.
constexpr int digit_value(const Tile& tile, int step, int digit, int index) {
  int value = 0;
  for (int j = 0; j < tile.digit[digit].bits; ++j)
    value |= ((index >> position_of(tile, step, first_bit(tile, digit) + j)) & 1) << j;
  return value;
}

// Whether a digit is of the same axis and below another.
constexpr bool lies_below(const Tile& tile, int below, int digit) {
  return tile.digit[below].axis == tile.digit[digit].axis && tile.digit[below].low < tile.digit[digit].low;
}

constexpr bool low_is_in_tile(const Tile& tile, int digit) {
  for (int d = 0; d < tile.digits; ++d)
    if (lies_below(tile, d, digit)) return true;
  return false;
}

// The place in shared memory, in elements, and the rank whose memory it is: of the layout that steps from the second on
// share, for an element that stands at `index` at this step. Linear over single bits.
constexpr int address_of(const Tile& tile, int step, int index) {
  int plain = 0;
  for (int j = 0; j < tile.local_bits(); ++j) plain |= ((index >> position_of(tile, step, tile.address[j])) & 1) << j;
  int address = plain;
  for (int j = 0; j < 3; ++j)
    if (tile.swizzle[j] >= 0) address ^= ((plain >> tile.swizzle[j]) & 1) << j;
  return address;
}

constexpr int home_rank(const Tile& tile, int step, int index) {
  int rank = 0;
  for (int j = 0; j < tile.ranks; ++j)
    rank |= ((index >> position_of(tile, step, tile.order[1][tile.local_bits() + j])) & 1) << j;
  return rank;
}

// The registers of step 0, those that go to rank 0 first.
template <int points>
constexpr std::array<int, points> registers_by_rank(const Tile& tile) {
  std::array<int, points> order = {};
  int count = 0;
  for (int rank = 0; rank < 1 << tile.ranks; ++rank)
    for (int k = 0; k < points; ++k)
      if (home_rank(tile, 0, k) == rank) order[count++] = k;
  return order;
}

// How many threads, counted from a multiple of that, exchange with one another only between these two steps; 0: they
// also exchange with other blocks.
constexpr int exchange_group(const Tile& tile, int from, int to) {
  for (int p = tile.local_bits(); p < tile.bits(); ++p)
    if (tile.order[from][p] != tile.order[to][p]) return 0;
  int top = tile.threads;
  while (top > 0 && tile.order[from][tile.registers + top - 1] == tile.order[to][tile.registers + top - 1]) --top;
  return 1 << top;
}

// Bits of an index that move together: bits [from, from + count) become [to, to + count).
struct BitRun {
  int from = 0, to = 0, count = 0;
};

struct BitRuns {
  std::array<BitRun, most_bits> run = {};
  int runs = 0;

  constexpr void add(int from, int to) {
    if (runs > 0) {
      BitRun& last = run[runs - 1];
      if (last.from + last.count == from && last.to + last.count == to) {
        ++last.count;
        return;
      }
    }
    run[runs++] = {from, to, 1};
  }
  constexpr int operator()(int index) const {
    int value = 0;
    for (int j = 0; j < runs; ++j) value |= ((index >> run[j].from) & ((1 << run[j].count) - 1)) << run[j].to;
    return value;
  }
};

// What threads and, above them, ranks contribute to a digit's value, and to an address before it is swizzled.
constexpr BitRuns digit_runs(const Tile& tile, int step, int digit) {
  BitRuns runs;
  for (int j = 0; j < tile.digit[digit].bits; ++j) {
    const int p = position_of(tile, step, first_bit(tile, digit) + j) - tile.registers;
    if (p >= 0) runs.add(p, j);
  }
  return runs;
}

constexpr BitRuns address_runs(const Tile& tile, int step) {
  BitRuns runs;
  for (int j = 0; j < tile.local_bits(); ++j) {
    const int p = position_of(tile, step, tile.address[j]) - tile.registers;
    if (p >= 0) runs.add(p, j);
  }
  return runs;
}

// The same for the places that step 0 has by itself: threads one beside the other, for each register. `to_rank`: the
// rank whose memory that is.
constexpr BitRuns first_place_runs(const Tile& tile, int step, bool to_rank) {
  BitRuns runs;
  for (int place = 0; place < (to_rank ? tile.ranks : tile.local_bits()); ++place) {
    const int threads_first = place < tile.threads ? place + tile.registers : place - tile.threads;
    const int bit = tile.order[0][to_rank ? tile.local_bits() + place : threads_first];
    const int p = position_of(tile, step, bit) - tile.registers;
    if (p >= 0) runs.add(p, place);
  }
  return runs;
}

// What register k contributes.
constexpr int first_place_of_register(const Tile& tile, int step, int k, bool to_rank) {
  int value = 0;
  for (int place = 0; place < (to_rank ? tile.ranks : tile.local_bits()); ++place) {
    const int threads_first = place < tile.threads ? place + tile.registers : place - tile.threads;
    const int p = position_of(tile, step, tile.order[0][to_rank ? tile.local_bits() + place : threads_first]);
    if (p < tile.registers) value |= ((k >> p) & 1) << place;
  }
  return value;
}

// The register that a transformed digit's lowest bit stands in; its bits stand in neighbouring ones.
constexpr int register_of(const Tile& tile, int step, int digit) {
  return position_of(tile, step, first_bit(tile, digit));
}

}  // namespace kallima::cuda
