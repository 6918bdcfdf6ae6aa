#include "layout/grids.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace kallima {
namespace {

// Every grid up to `ranks` along each of three dimensions that the rule allows.
std::vector<Shape> by_trying_all(Index ranks, const MayDeal& may) {
  std::vector<Shape> best;
  Index most = 0;
  const auto allowed = [&](std::size_t k, Index p) { return p == 1 || may(k, p); };
  for (Index a = 1; a <= ranks; ++a)
    for (Index b = 1; b <= ranks; ++b)
      for (Index c = 1; c <= ranks; ++c) {
        if (a * b * c > ranks || a * b * c < most || !allowed(0, a) || !allowed(1, b) || !allowed(2, c)) continue;
        if (a * b * c > most) best.clear();
        most = a * b * c;
        best.push_back({a, b, c});
      }
  return best;
}

TEST(Grids, the_widest_are_all_that_use_most_ranks) {
  const Shape shape{4, 36, 5};
  const std::vector<MayDeal> rules{[&](std::size_t k, Index p) { return p <= shape[k]; },
                                   [&](std::size_t k, Index p) { return shape[k] % (p * p) == 0; },
                                   [](std::size_t k, Index p) { return k == 1 && p % 2 == 1; },
                                   [](std::size_t, Index) { return false; }};
  for (const MayDeal& may : rules)
    for (Index ranks = 1; ranks <= 40; ++ranks) {
      std::vector<Shape> found = widest_grids(3, {1, 0, 2}, ranks, may);
      EXPECT_TRUE(std::is_sorted(found.begin(), found.end(), [](const Shape& a, const Shape& b) {
        return std::tie(a[1], a[0], a[2]) > std::tie(b[1], b[0], b[2]);
      })) << ranks;
      std::sort(found.begin(), found.end());
      EXPECT_EQ(found, by_trying_all(ranks, may)) << ranks << " ranks";
    }
}

TEST(Grids, what_is_not_named_is_not_dealt_out) {
  const MayDeal any = [](std::size_t, Index) { return true; };
  EXPECT_EQ(widest_grids(3, {2}, 6, any), (std::vector<Shape>{{1, 1, 6}}));
  EXPECT_EQ(widest_grids(2, {}, 6, any), (std::vector<Shape>{{1, 1}}));
}

}  // namespace
}  // namespace kallima
