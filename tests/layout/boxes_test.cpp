#include <gtest/gtest.h>

#include <limits>

#include "kallima/layout.hpp"

namespace kallima {
namespace {

Layout odd_boxes() {  // 3 x 4 over five ranks, two of which own nothing
  return Layout::boxes({3, 4},
                       {{{0, 0}, {2, 1}}, {{1, 1}, {1, 1}}, {{0, 1}, {2, 4}}, {{2, 0}, {3, 4}}, {{0, 0}, {0, 0}}});
}

TEST(Boxes, every_element_has_one_place_and_its_index_leads_back) {
  const Layout layout = odd_boxes();
  Index total = 0;
  for (int rank = 0; rank < layout.ranks(); ++rank)
    for (Index t = 0; t < layout.local_size(rank); ++t, ++total) {
      const Shape j = layout.global_index(rank, t);
      EXPECT_EQ(layout.owner(j), rank);
      EXPECT_EQ(layout.local_index(j), t);
    }
  EXPECT_EQ(total, 12);
}

TEST(Boxes, empty_ones_own_nothing_and_do_not_count_as_active) {
  const Layout layout = odd_boxes();
  EXPECT_EQ(layout.active_ranks(), 3);
  EXPECT_EQ(layout.local_size(1), 0);
  EXPECT_EQ(layout.local_shape(4), (Shape{0, 0}));
  EXPECT_FALSE(layout.is_grid());
  EXPECT_EQ(layout.text(), "3x4 in boxes on 5 ranks, 2 of them idle");
}

TEST(Boxes, empty_ones_are_one_and_the_same_however_they_are_written) {
  constexpr Index least = std::numeric_limits<Index>::min(), most = std::numeric_limits<Index>::max();
  const Layout plain = Layout::boxes({4}, {{{0}, {4}}, {{0}, {0}}});
  for (const Index begin : {Index{3}, Index{7}, most}) {
    const Layout odd = Layout::boxes({4}, {{{0}, {4}}, {{begin}, {least}}});
    EXPECT_EQ(odd, plain);
    EXPECT_EQ(odd.local_size(1), 0);
    EXPECT_EQ(layout_from_text(layout_to_text(odd), {4}, 2), odd);
  }
}

TEST(Boxes, share_with_a_grid_what_both_own) {
  const Layout boxes = odd_boxes(), cyclic = Layout::cyclic({3, 4}, {1, 2}, 5);
  for (int a = 0; a < 5; ++a) {
    Index total = 0;
    for (int b = 0; b < 5; ++b)
      if (const auto shared = intersection(boxes, a, cyclic, b)) total += (*shared)[0].count * (*shared)[1].count;
    EXPECT_EQ(total, boxes.local_size(a));
  }
}

TEST(Boxes, that_are_no_partition_are_refused) {
  EXPECT_THROW(Layout::boxes({4}, {{{0}, {2}}, {{1}, {4}}}), Error);  // overlap
  EXPECT_THROW(Layout::boxes({4}, {{{0}, {2}}, {{3}, {4}}}), Error);  // a gap
  EXPECT_THROW(Layout::boxes({4}, {{{0}, {5}}}), Error);              // outside
  EXPECT_THROW(Layout::boxes({4}, {{{0, 0}, {4, 1}}}), Error);        // dimensions
  EXPECT_THROW(Layout::boxes({4}, {}), Error);                        // no rank
  EXPECT_THROW(Layout::boxes({4, 0}, {{{0, 0}, {4, 0}}}), Error);     // no element
}

TEST(Boxes, of_a_grid_are_equal_to_it_in_what_they_own) {
  const Layout grid = Layout::blocks({7, 5}, {3, 2}, 6);
  std::vector<Box> boxes(6);
  for (int rank = 0; rank < 6; ++rank)
    for (const Progression& p : grid.owned(rank)) {
      boxes[static_cast<std::size_t>(rank)].begin.push_back(p.first);
      boxes[static_cast<std::size_t>(rank)].end.push_back(p.first + p.count);
    }
  const Layout same = Layout::boxes({7, 5}, boxes);
  for (int rank = 0; rank < 6; ++rank) EXPECT_EQ(same.owned(rank), grid.owned(rank));
}

TEST(Boxes, slabs_are_rounded_up_as_fftw_does_and_the_last_may_be_short_or_empty) {
  const Layout layout = Layout::slabs({10, 3}, 4);
  for (const auto& [rank, rows] : {std::pair{0, 3}, {1, 3}, {2, 3}, {3, 1}})
    EXPECT_EQ(layout.local_shape(rank), (Shape{rows, 3}));
  EXPECT_EQ(Layout::slabs({5, 3}, 4, 0, 5).active_ranks(), 1);
  EXPECT_EQ(Layout::slabs({5, 6}, 3, 1).local_shape(2), (Shape{5, 2}));
  EXPECT_THROW(Layout::slabs({10, 3}, 4, 0, 2), Error);
  EXPECT_THROW(Layout::slabs({10, 3}, 4, 2), Error);
}

}  // namespace
}  // namespace kallima
