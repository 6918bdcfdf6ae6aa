#pragma once
// What a kernel does with one tile, on the processor: elements by block, thread and register, moved through shared
// memories by the addresses that the description gives, transformed by definition.

#include <algorithm>
#include <complex>
#include <functional>
#include <numbers>
#include <set>
#include <vector>

#include "cuda/model/tile.hpp"
#include "kallima/types.hpp"

namespace kallima::cuda {

using Value = std::complex<double>;

inline Value root_of_unity(Index e, Index n) {
  return std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(e % n) / static_cast<double>(n));
}

// The values of one tile, in the order of its bits, at a place where the loops' bits of its axes have these values.
class EmulatedTile {
 public:
  EmulatedTile(const Tile& tile, std::array<int, most_axes> outside) : tile_(tile), outside_(outside) {}

  std::vector<Value> forward(const std::vector<Value>& by_bits) {
    auto held = arranged(by_bits, 0);
    for (int step = 0; step < tile_.steps; ++step) {
      transform(held, step, false);
      if (step + 1 < tile_.steps) held = exchanged(held, step, step + 1);
    }
    return by_tile_bits(held, tile_.steps - 1);
  }

  std::vector<Value> mirrored(const std::vector<Value>& by_bits) {
    auto held = arranged(by_bits, tile_.steps - 1);
    for (int step = tile_.steps - 1; step >= 0; --step) {
      transform(held, step, true);
      if (step > 0) held = arranged(by_tile_bits(held, step), step - 1);
    }
    return by_tile_bits(held, 0);
  }

 private:
  int size() const { return 1 << tile_.bits(); }

  int place(int step, int tile_index) const {  // of an element among registers, threads and ranks
    int index = 0;
    for (int b = 0; b < tile_.bits(); ++b) index |= ((tile_index >> b) & 1) << position_of(tile_, step, b);
    return index;
  }
  std::vector<Value> arranged(const std::vector<Value>& by_bits, int step) const {
    std::vector<Value> held(by_bits.size());
    for (int j = 0; j < size(); ++j) held[at(place(step, j))] = by_bits[at(j)];
    return held;
  }
  std::vector<Value> by_tile_bits(const std::vector<Value>& held, int step) const {
    std::vector<Value> by_bits(held.size());
    for (int j = 0; j < size(); ++j) by_bits[at(j)] = held[at(place(step, j))];
    return by_bits;
  }

  std::vector<Value> exchanged(const std::vector<Value>& held, int from, int to) const {
    std::vector<Value> memory(held.size()), read(held.size());
    const auto where = [&](int step, int index) {
      return at(home_rank(tile_, step, index) << tile_.local_bits() | address_of(tile_, step, index));
    };
    for (int j = 0; j < size(); ++j) memory[where(from, j)] = held[at(j)];
    for (int j = 0; j < size(); ++j) read[at(j)] = memory[where(to, j)];
    return read;
  }

  int below(int step, int digit, int index) const {
    int value = outside_[at(tile_.digit[at(digit)].axis)];
    for (int d = 0; d < tile_.digits; ++d)
      if (lies_below(tile_, d, digit)) value |= digit_value(tile_, step, d, index) << tile_.digit[at(d)].low;
    return value;
  }

  void transform(std::vector<Value>& held, int step, bool mirror) const {
    for (int d = 0; d < tile_.digits; ++d) {
      if (tile_.digit[at(d)].step != step) continue;
      if (mirror) multiply(held, step, d);
      transform_digit(held, step, d);
      if (!mirror) multiply(held, step, d);
    }
  }

  void multiply(std::vector<Value>& held, int step, int d) const {
    const Digit& digit = tile_.digit[at(d)];
    for (int j = 0; j < size(); ++j)
      held[at(j)] *= root_of_unity(Index{digit_value(tile_, step, d, j)} * below(step, d, j),
                                   Index{1} << (digit.low + digit.bits));
  }

  void transform_digit(std::vector<Value>& held, int step, int d) const {
    const int n = 1 << tile_.digit[at(d)].bits, lowest = register_of(tile_, step, d);
    std::vector<Value> roots(at(n)), line(at(n));
    for (int k = 0; k < n; ++k) roots[at(k)] = root_of_unity(k, n);
    for (int j = 0; j < size(); ++j) {
      if (digit_value(tile_, step, d, j) != 0) continue;
      for (int k = 0; k < n; ++k) {
        line[at(k)] = 0;
        for (int t = 0; t < n; ++t) line[at(k)] += held[at(j + (t << lowest))] * roots[at(k * t % n)];
      }
      for (int k = 0; k < n; ++k) held[at(j + (k << lowest))] = line[at(k)];
    }
  }

  const Tile& tile_;
  std::array<int, most_axes> outside_;
};

}  // namespace kallima::cuda
