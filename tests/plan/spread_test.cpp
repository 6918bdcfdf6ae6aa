// Who owns what of an array, asked for by block.

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "plan/exchange/held.hpp"

namespace kallima {
namespace {

// Dealt out in blocks, one by one or in groups, with fewer elements than parts, too; of blocks some are longer than the
// array.
TEST(Spread, owners_are_counted_as_they_are_listed) {
  std::mt19937 random(5);
  const auto draw = [&](Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(random); };
  for (int i = 0; i < 3000; ++i) {
    const Index n = draw(1, 60), cycle = draw(1, 5), parts = cycle * draw(1, 6);
    const Index cycles[] = {1, cycle, parts};
    const Spread spread({{Distribution::group_cyclic(n, parts, cycles[i % 3])}}, static_cast<int>(parts));
    const Index first = draw(0, n - 1), step = i % 2 == 0 ? 1 : draw(1, 7);
    const Block some{{first, step, draw(1, (n + 9 - first) / step + 1)}};
    std::set<int> owners;
    for (const Portion& p : spread.portions(some, {}, 0, 1)) owners.insert(p.rank);
    ASSERT_EQ(spread.owner_count(some), std::ssize(owners))
        << n << " over " << parts << " by cycles of " << cycles[i % 3] << ", " << some[0].count << " from " << first
        << " by " << step;
  }
}

}  // namespace
}  // namespace kallima
