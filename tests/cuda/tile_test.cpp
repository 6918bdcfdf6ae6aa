// Descriptions of kernels, run on the processor: each says what it must about every bit of a tile, computes the
// transform of its digits, and reads and writes shared memory without two threads of a group meeting in a bank.

#include <gtest/gtest.h>

#include <random>

#include "cuda/emulated_tile.hpp"
#include "cuda/model/tile_plan.hpp"

namespace kallima::cuda {
namespace {

class TileTest : public ::testing::TestWithParam<int> {
 protected:
  const Tile& tile() const { return tile_of(static_cast<TileId>(GetParam())); }
  std::vector<Value> noise(unsigned seed) const {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    std::vector<Value> values(std::size_t{1} << tile().bits());
    for (auto& v : values) v = {number(random), number(random)};
    return values;
  }
};

bool is_permutation_of_bits(const auto& list, int count) {
  std::set<int> seen(list.begin(), list.begin() + count);
  return static_cast<int>(seen.size()) == count && *seen.begin() >= 0;
}

// The bits of the axis that the tile transforms, as one number before and after.
struct AxisPart {
  int low = 99, bits = 0;  // of what is transformed
  Index time = 0, frequency = 0;
};

AxisPart part_of(const Tile& tile, int axis, int tile_index) {
  AxisPart part;
  for (int d = 0; d < tile.digits; ++d) {
    const Digit& digit = tile.digit[at(d)];
    if (digit.axis != axis || digit.step < 0) continue;
    part.low = std::min(part.low, digit.low);
    part.bits += digit.bits;
  }
  for (int d = 0; d < tile.digits; ++d) {
    const Digit& digit = tile.digit[at(d)];
    if (digit.axis != axis || digit.step < 0) continue;
    const int value = (tile_index >> first_bit(tile, d)) & ((1 << digit.bits) - 1);
    part.time |= Index{value} << (digit.low - part.low);
    part.frequency |= Index{value} << (part.low + part.bits - digit.low - digit.bits);
  }
  return part;
}

int untransformed_bits(const Tile& tile, int tile_index) {
  int value = 0;
  for (int d = 0; d < tile.digits; ++d)
    if (tile.digit[at(d)].step < 0) value |= tile_index & (((1 << tile.digit[at(d)].bits) - 1) << first_bit(tile, d));
  return value;
}

int untransformed_below(const Tile& tile, int axis, int tile_index) {
  int value = 0;
  for (int d = 0; d < tile.digits; ++d) {
    const Digit& digit = tile.digit[at(d)];
    if (digit.axis == axis && digit.step < 0)
      value |= ((tile_index >> first_bit(tile, d)) & ((1 << digit.bits) - 1)) << digit.low;
  }
  return value;
}

TEST_P(TileTest, every_bit_has_its_place_at_every_step) {
  EXPECT_EQ(first_bit(tile(), tile().digits), tile().bits());
  for (int step = 0; step < tile().steps; ++step)
    EXPECT_TRUE(is_permutation_of_bits(tile().order[at(step)], tile().bits()));
  EXPECT_TRUE(is_permutation_of_bits(tile().address, tile().local_bits()));
}

TEST_P(TileTest, digits_stand_in_registers_when_their_turn_comes) {
  for (int d = 0; d < tile().digits; ++d) {
    const Digit& digit = tile().digit[at(d)];
    for (int j = 0; digit.step >= 0 && j < digit.bits; ++j) {
      const int where = position_of(tile(), digit.step, first_bit(tile(), d) + j);
      EXPECT_EQ(where, register_of(tile(), digit.step, d) + j);
      EXPECT_LT(where, tile().registers);
    }
  }
}

TEST_P(TileTest, bits_below_a_digit_are_not_in_registers_with_it) {
  for (int d = 0; d < tile().digits; ++d)
    for (int other = 0; other < tile().digits; ++other)
      for (int j = 0; lies_below(tile(), other, d) && tile().digit[at(d)].step >= 0 && j < tile().digit[at(other)].bits;
           ++j)
        EXPECT_GE(position_of(tile(), tile().digit[at(d)].step, first_bit(tile(), other) + j), tile().registers);
}

TEST_P(TileTest, blocks_exchange_with_each_other_in_the_first_exchange_only) {
  for (int step = 1; step + 1 < tile().steps; ++step) EXPECT_GT(exchange_group(tile(), step, step + 1), 0);
}

TEST_P(TileTest, eight_neighbouring_threads_meet_in_no_bank) {
  for (int step = tile().ranks > 0 ? 1 : 0; step < tile().steps; ++step)
    for (int reg = 0; reg < 1 << tile().registers; ++reg)
      for (int thread = 0; thread < 1 << tile().threads; thread += 8) {
        std::set<int> banks;
        for (int t = thread; t < thread + 8; ++t)
          banks.insert(address_of(tile(), step, reg | t << tile().registers) % 8);
        ASSERT_EQ(banks.size(), 8U) << "step " << step << " register " << reg << " thread " << thread;
      }
}

int swizzled(const Tile& tile, int plain) {
  int address = plain;
  for (int j = 0; j < 3; ++j)
    if (tile.swizzle[at(j)] >= 0) address ^= ((plain >> tile.swizzle[at(j)]) & 1) << j;
  return address;
}

TEST_P(TileTest, threads_find_digits_and_addresses_by_runs_of_bits) {
  for (int step = 0; step < tile().steps; ++step) {
    const auto addresses = address_runs(tile(), step);
    for (int thread = 0; thread < 1 << (tile().threads + tile().ranks); thread += 3) {
      const int index = thread << tile().registers;
      ASSERT_EQ(swizzled(tile(), addresses(thread)), address_of(tile(), step, index));
      for (int d = 0; d < tile().digits; ++d)
        ASSERT_EQ(digit_runs(tile(), step, d)(thread), digit_value(tile(), step, d, index));
    }
  }
}

TEST_P(TileTest, the_way_back_among_blocks_fills_every_place_once) {
  const int step = tile().steps > 1 ? 1 : 0;
  const auto places = first_place_runs(tile(), step, false), ranks = first_place_runs(tile(), step, true);
  std::vector<int> filled(std::size_t{1} << tile().bits());
  for (int index = 0; index < 1 << tile().bits(); ++index) {
    const int k = index & ((1 << tile().registers) - 1), thread = index >> tile().registers;
    const int place = places(thread) | first_place_of_register(tile(), step, k, false);
    const int rank = ranks(thread) | first_place_of_register(tile(), step, k, true);
    ++filled[at(rank << tile().local_bits() | place)];
  }
  EXPECT_EQ(std::count(filled.begin(), filled.end(), 1), Index{1} << tile().bits());
}

TEST_P(TileTest, a_tile_is_transformed) {
  std::array<int, most_axes> low = {};
  for (std::size_t axis = 0; axis < most_axes; ++axis)
    if (tile().low_loop[axis] >= 0) low[axis] = 5 << tile().low_shift[axis];
  const auto in = noise(1);
  const auto out = EmulatedTile(tile(), low).forward(in);
  std::mt19937 random(2);
  for (int sample = 0; sample < 12; ++sample) {
    const int k = static_cast<int>(random() % out.size());
    Value expected = 0;
    for (int t = 0; t < static_cast<int>(in.size()); ++t) {
      if (untransformed_bits(tile(), t) != untransformed_bits(tile(), k)) continue;
      Value w = 1;
      for (int axis = 0; axis < most_axes; ++axis) {
        const auto from = part_of(tile(), axis, t), to = part_of(tile(), axis, k);
        if (from.bits == 0) continue;
        const Index place = (from.time << from.low) + low[at(axis)] + untransformed_below(tile(), axis, t);
        w *= root_of_unity(to.frequency * place, Index{1} << (from.low + from.bits));
      }
      expected += in[at(t)] * w;
    }
    EXPECT_LT(std::abs(out[at(k)] - expected), 1e-9) << k;
  }
}

TEST_P(TileTest, the_mirror_image_leads_back) {
  std::array<int, most_axes> low = {};
  for (std::size_t axis = 0; axis < most_axes; ++axis)
    if (tile().low_loop[axis] >= 0) low[axis] = 3 << tile().low_shift[axis];
  const auto in = noise(3);
  auto spectrum = EmulatedTile(tile(), low).forward(in);
  double points = 1;
  for (int d = 0; d < tile().digits; ++d)
    if (tile().digit[at(d)].step >= 0) points *= 1 << tile().digit[at(d)].bits;
  for (auto& v : spectrum) v = std::conj(v);
  const auto back = EmulatedTile(tile(), low).mirrored(spectrum);
  double worst = 0;
  for (std::size_t j = 0; j < in.size(); ++j) worst = std::max(worst, std::abs(std::conj(back[j]) / points - in[j]));
  EXPECT_LT(worst, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(All, TileTest, ::testing::Range(0, tile_ids));

}  // namespace
}  // namespace kallima::cuda
