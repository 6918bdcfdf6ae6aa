// Which passes a transform takes, without a device: every pass reads every element once and writes every element once,
// and one that works in place writes in each tile what it has read there.

#include "cuda/model/tile_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace kallima::cuda {
namespace {

// Where the elements of one tile lie, in complex numbers, in the order of the tile's bits.
std::vector<Index> places_in_tile(const Tile& tile, const TileSide& side) {
  std::vector<Index> places;
  for (int j = 0; j < 1 << tile.bits(); ++j) {
    Index place = 0;
    for (int d = 0; d < tile.digits; ++d)
      place += ((j >> first_bit(tile, d)) & ((1 << tile.digit[at(d)].bits) - 1)) * Index{side.digit[d]};
    places.push_back(place);
  }
  return places;
}

void for_each_tile(const TilePass& pass, const TileSide& side, const auto& visit) {
  for (unsigned c = 0; c < pass.call.tiles[2]; ++c)
    for (unsigned b = 0; b < pass.call.tiles[1]; ++b)
      for (unsigned a = 0; a < pass.call.tiles[0]; ++a) visit(a * side.loop[0] + b * side.loop[1] + c * side.loop[2]);
}

bool visits_all_once(const TilePass& pass, const TileSide& side, Index count) {
  const auto places = places_in_tile(tile_of(pass.id), side);
  std::vector<char> seen(at(count));  // bits take several times as long
  Index visits = 0;
  for_each_tile(pass, side, [&](Index base) {
    for (const Index place : places) {
      if (base + place >= count || seen[at(base + place)] != 0) return;
      seen[at(base + place)] = 1;
      ++visits;
    }
  });
  return visits == count;
}

TEST(TilePlanTest, every_pass_reads_and_writes_every_element_once) {
  const Index count = Index{1} << 24;
  for (const Shape& shape : {Shape{256, 256, 256}, Shape{count}})
    for (const auto& pass : plan_tiles({.shape = shape}).passes) {
      EXPECT_TRUE(visits_all_once(pass, pass.call.time, count)) << "tile " << static_cast<int>(pass.id);
      EXPECT_TRUE(visits_all_once(pass, pass.call.frequency, count)) << "tile " << static_cast<int>(pass.id);
    }
}

TEST(TilePlanTest, factors_meet_every_element_once) {
  const auto plan = plan_tiles_of_apply({.shape = {256, 256, 256}}, FactorKind::complex_array);
  ASSERT_EQ(plan.passes.size(), 3U);
  for (const auto& pass : plan.passes)
    EXPECT_TRUE(visits_all_once(pass, pass.call.time, Index{1} << 24)) << "tile " << static_cast<int>(pass.id);
  EXPECT_TRUE(visits_all_once(plan.passes[1], plan.passes[1].call.factors, Index{1} << 24));
}

TEST(TilePlanTest, lines_of_256_take_one_pass_that_may_be_in_place) {
  for (const auto& problem :
       {WholeProblem{.shape = {256}, .batch = 48}, WholeProblem{.shape = {6, 8, 256}, .axes = {2}}}) {
    const auto plan = plan_tiles(problem);
    ASSERT_EQ(plan.passes.size(), 1U);
    EXPECT_EQ(plan.workspace, 0);
    EXPECT_TRUE(visits_all_once(plan.passes[0], plan.passes[0].call.time, 48 * 256));
    EXPECT_TRUE(visits_all_once(plan.passes[0], plan.passes[0].call.frequency, 48 * 256));
  }
  EXPECT_TRUE(plan_tiles({.shape = {256}, .batch = 47}).passes.empty());
  EXPECT_TRUE(plan_tiles({.shape = {256}, .precision = Precision::single_, .batch = 40}).passes.empty());
  EXPECT_TRUE(plan_tiles({.shape = {256, 48}, .axes = {0}}).passes.empty());
}

TEST(TilePlanTest, a_pass_in_place_writes_what_it_has_read) {
  for (const auto precision : {Precision::double_, Precision::single_})
    for (const Shape& shape : {Shape{256, 256, 256}, Shape{512, 512, 512}, Shape{8192, 8192}}) {
      const auto plan = plan_tiles({.shape = shape, .precision = precision, .in_place = false});
      if (plan.passes.empty()) continue;
      EXPECT_EQ(plan.workspace, 0);
      const auto& last = plan.passes.back();
      ASSERT_EQ(last.from, last.to);
      auto read = places_in_tile(tile_of(last.id), last.call.time);
      auto written = places_in_tile(tile_of(last.id), last.call.frequency);
      std::sort(read.begin(), read.end());
      std::sort(written.begin(), written.end());
      EXPECT_EQ(read, written);
      for (std::size_t loop = 0; loop < tile_loops; ++loop)
        EXPECT_EQ(last.call.time.loop[loop], last.call.frequency.loop[loop]);
    }
}

TEST(TilePlanTest, only_the_first_pass_reads_what_the_caller_gave) {
  for (const Shape& shape : {Shape{256, 256, 256}, Shape{1024, 1024, 1024}, Shape{1 << 24}}) {
    const auto plan = plan_tiles({.shape = shape});
    ASSERT_FALSE(plan.passes.empty());
    EXPECT_EQ(plan.passes.front().from, PassBuffer::in);
    EXPECT_EQ(plan.passes.front().to, PassBuffer::workspace);  // in and out may be one array
    EXPECT_EQ(plan.passes.back().to, PassBuffer::out);
    for (std::size_t i = 1; i < plan.passes.size(); ++i) EXPECT_EQ(plan.passes[i].from, plan.passes[i - 1].to);
  }
}

TEST(TilePlanTest, rows_of_real_data_are_shifted_to_lines_of_the_result) {
  const auto plan = plan_tiles({.shape = {256, 256, 256}, .kind = TransformKind::r2c});
  ASSERT_EQ(plan.passes.size(), 2U);
  const auto& columns = plan.passes[1];
  for (Index row = 0; row < 16; ++row) {
    const Index first = row * columns.call.frequency.loop[1] - (row & columns.call.row_shift);
    EXPECT_EQ(first % 8, 0);                                                     // lines of 128 bytes,
    EXPECT_EQ(columns.call.frequency.digit[1] % 8, 0);                           // of all rows of a tile,
    EXPECT_LE(129 + (row & columns.call.row_shift), columns.call.time.loop[1]);  // and room for the shift
  }
}

TEST(TilePlanTest, the_way_back_to_reals_is_the_way_there_turned_round) {
  for (const auto precision : {Precision::double_, Precision::single_}) {
    const WholeProblem forward{.shape = {256, 256, 256}, .kind = TransformKind::r2c, .precision = precision};
    WholeProblem back = forward;
    back.kind = TransformKind::c2r;
    back.sign = 1;
    const auto there = plan_tiles(forward).passes, again = plan_tiles(back).passes;
    ASSERT_EQ(again.size(), 2U);
    EXPECT_EQ(again[0].id, there[1].id);
    EXPECT_EQ(again[1].id, there[0].id);
    EXPECT_EQ(again[0].mode, TileMode::from_halved);
    EXPECT_EQ(again[1].mode, TileMode::mirrored);
    EXPECT_EQ(again[0].from, PassBuffer::in);
    EXPECT_EQ(again[0].to, again[1].from);
    EXPECT_EQ(again[1].to, PassBuffer::out);
    EXPECT_NE(again[0].call.conjugate_in, there[0].call.conjugate_in);
  }
}

TEST(TilePlanTest, what_there_are_no_tiles_for_is_left_alone) {
  EXPECT_TRUE(plan_tiles({.shape = {100, 100, 100}}).passes.empty());
  EXPECT_TRUE(plan_tiles({.shape = {256, 256, 256}, .axes = {0, 1}}).passes.empty());
  EXPECT_TRUE(plan_tiles({.shape = {512, 512, 512}, .kind = TransformKind::c2r, .sign = 1}).passes.empty());
  EXPECT_TRUE(plan_tiles({.shape = {256, 256, 256}, .precision = Precision::long_double}).passes.empty());
  EXPECT_TRUE(plan_tiles_of_apply({.shape = {8192, 8192}}, FactorKind::complex_array).passes.empty());
}

TEST(TilePlanTest, long_tables_of_roots_are_two_short_ones) {
  EXPECT_EQ(root_exponents(8).size(), 256U);
  const auto long_table = root_exponents(24);
  ASSERT_EQ(long_table.size(), 8192U);
  EXPECT_EQ(long_table[4095], 4095);
  EXPECT_EQ(long_table[4096 + 5], 5 * 4096);
}

}  // namespace
}  // namespace kallima::cuda
