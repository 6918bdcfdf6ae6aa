#include "plan/exchange/region.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace kallima {
namespace {

struct RandomRegion {
  Footprint region;
  std::set<Index> reals;
};

// Of up to three steps, nested or mixed.
RandomRegion sample(std::mt19937& random) {
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<Index>(low, high)(random); };
  Piece piece{.buffer = Buffer::work, .offset = draw(0, 40), .count = draw(1, 5), .stride = draw(1, 9), .real = true};
  Pass pass;
  for (Index k = draw(0, 2); k > 0; --k) {
    pass.loops.push_back(draw(1, 5));
    piece.strides.push_back(draw(1, 40));
  }
  std::set<Index> reals;
  for (Index i = 0; i < piece.count; ++i) reals.insert(piece.offset + i * piece.stride);
  for (std::size_t k = 0; k < pass.loops.size(); ++k)
    for (const std::set<Index> inner = reals; const Index real : inner)
      for (Index i = 1; i < pass.loops[k]; ++i) reals.insert(real + i * piece.strides[k]);
  return {region_of(piece, pass, {}), reals};
}

TEST(Region, meets_what_has_a_real_in_common) {
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    const RandomRegion a = sample(random), b = sample(random);
    const bool common = std::ranges::any_of(a.reals, [&](Index x) { return b.reals.contains(x); });
    EXPECT_EQ(meet(a.region, b.region), common) << i;
  }
}

TEST(Region, the_next_is_never_too_far) {
  std::mt19937 random(2);
  for (int i = 0; i < 300; ++i) {
    const RandomRegion a = sample(random);
    EXPECT_EQ(a.region.first, *a.reals.begin());
    EXPECT_EQ(a.region.last, *a.reals.rbegin());
    for (Index place = 0; place <= a.region.last; ++place) {
      EXPECT_GE(next_of(a.region, place), place);
      EXPECT_LE(next_of(a.region, place), *a.reals.lower_bound(place));
    }
  }
}

TEST(Region, the_next_of_nested_steps_is_exact) {
  const Footprint region =
      region_of(Piece{.buffer = Buffer::work, .offset = 5, .count = 3, .strides = {10, 100}, .real = true},
                Pass{.loops = {4, 2}}, {});
  for (const auto& [place, next] : {std::pair<Index, Index>{0, 5}, {7, 7}, {8, 15}, {36, 36}, {38, 105}, {137, 137}})
    EXPECT_EQ(next_of(region, place), next);
}

}  // namespace
}  // namespace kallima
