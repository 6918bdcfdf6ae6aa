// The claims of layouts, over every combination of small distributions in two dimensions and many in three.

#include "kallima/layout.hpp"

#include <gtest/gtest.h>

#include <set>

namespace kallima {
namespace {

std::vector<Distribution> distributions(Index n, Index most_parts) {
  std::vector<Distribution> all;
  for (Index p = 1; p <= most_parts; ++p)
    for (Index c = 1; c <= p; ++c)
      if (p % c == 0) all.push_back(Distribution::group_cyclic(n, p, c));
  return all;
}

int grid_size(const std::vector<Distribution>& dims) {
  Index size = 1;
  for (const auto& d : dims) size *= d.parts();
  return static_cast<int>(size);
}

std::vector<Layout> layouts_2d(Index rows, Index columns) {
  std::vector<Layout> all;
  for (const auto& a : distributions(rows, 4))
    for (const auto& b : distributions(columns, 4)) all.push_back(Layout({a, b}, grid_size({a, b}) + 1));
  return all;
}

std::vector<Layout> layouts_3d(Index n0, Index n1, Index n2) {
  std::vector<Layout> all;
  for (const auto& a : distributions(n0, 3))
    for (const auto& b : distributions(n1, 2))
      for (const auto& c : distributions(n2, 4)) all.push_back(Layout({a, b, c}, grid_size({a, b, c})));
  return all;
}

std::vector<Layout> many_layouts() {
  std::vector<Layout> all;
  for (const auto& [rows, columns] : {std::pair<Index, Index>{1, 1}, {1, 7}, {5, 3}, {4, 6}})
    for (auto& layout : layouts_2d(rows, columns)) all.push_back(std::move(layout));
  for (auto& layout : layouts_3d(2, 3, 5)) all.push_back(std::move(layout));
  for (auto& layout : layouts_3d(4, 1, 4)) all.push_back(std::move(layout));
  return all;
}

Index product(const Shape& shape) {
  Index size = 1;
  for (const Index n : shape) size *= n;
  return size;
}

std::set<Shape> elements(const Layout& layout, int rank) {
  std::set<Shape> all;
  for (Index t = 0; t < layout.local_size(rank); ++t) all.insert(layout.global_index(rank, t));
  return all;
}

void append(std::set<Shape>& all, const std::vector<Progression>& axes, const Shape& head) {
  if (head.size() == axes.size()) {
    all.insert(head);
    return;
  }
  const Progression& axis = axes[head.size()];
  for (Index i = 0; i < axis.count; ++i) {
    Shape longer = head;
    longer.push_back(axis.first + i * axis.step);
    append(all, axes, longer);
  }
}

TEST(Layout, owner_and_local_index_are_inverse_to_global_index) {
  for (const auto& layout : many_layouts())
    for (int rank = 0; rank < layout.ranks(); ++rank)
      for (Index t = 0; t < layout.local_size(rank); ++t) {
        const Shape j = layout.global_index(rank, t);
        ASSERT_EQ(layout.owner(j), rank) << layout.text();
        ASSERT_EQ(layout.local_index(j), t) << layout.text();
      }
}

TEST(Layout, every_index_is_owned_exactly_once) {
  for (const auto& layout : many_layouts()) {
    std::set<Shape> all;
    Index owned = 0;
    for (int rank = 0; rank < layout.ranks(); ++rank) {
      all.merge(elements(layout, rank));
      owned += layout.local_size(rank);
    }
    EXPECT_EQ(owned, product(layout.shape())) << layout.text();
    EXPECT_EQ(static_cast<Index>(all.size()), owned) << layout.text();
  }
}

TEST(Layout, local_shape_is_all_zero_exactly_where_nothing_is_owned) {
  for (const auto& layout : many_layouts())
    for (int rank = 0; rank < layout.ranks(); ++rank) {
      const Shape local = layout.local_shape(rank);
      EXPECT_EQ(product(local), layout.local_size(rank));
      const bool zero = local == Shape(local.size(), 0);
      EXPECT_EQ(zero, layout.local_size(rank) == 0) << layout.text();
    }
}

TEST(Layout, intersection_equals_brute_force_for_all_pairs) {
  const auto all = layouts_2d(4, 5);
  for (std::size_t i = 0; i < all.size(); i += 2)
    for (std::size_t k = 1; k < all.size(); k += 3)
      for (int a = 0; a < all[i].ranks(); ++a)
        for (int b = 0; b < all[k].ranks(); ++b) {
          std::set<Shape> expected, found;
          for (const auto& j : elements(all[i], a))
            if (all[k].owner(j) == b) expected.insert(j);
          const auto shared = intersection(all[i], a, all[k], b);
          if (shared) append(found, *shared, {});
          ASSERT_EQ(found, expected) << all[i].text() << " and " << all[k].text();
          ASSERT_EQ(shared.has_value(), !expected.empty());
        }
}

TEST(Layout, intersections_of_three_dimensional_layouts_share_out_each_rank) {
  const auto all = layouts_3d(4, 3, 6);
  for (std::size_t i = 0; i + 7 < all.size(); ++i)
    for (int a = 0; a < all[i].ranks(); ++a) {
      std::set<Shape> pieces;
      Index total = 0;
      for (int b = 0; b < all[i + 7].ranks(); ++b)
        if (const auto shared = intersection(all[i], a, all[i + 7], b)) {
          Index count = 1;
          for (const auto& axis : *shared) count *= axis.count;
          total += count;
          append(pieces, *shared, {});
        }
      ASSERT_EQ(total, all[i].local_size(a));
      ASSERT_EQ(pieces, elements(all[i], a)) << all[i].text() << " and " << all[i + 7].text();
    }
}

TEST(Layout, ranks_are_row_major_over_the_grid) {
  const Layout layout({Distribution::block(4, 2), Distribution::cyclic(6, 3)}, 7);
  EXPECT_EQ(layout.active_ranks(), 6);
  EXPECT_EQ(layout.grid(), (Shape{2, 3}));
  EXPECT_EQ(layout.coordinates(4), (Shape{1, 1}));
  EXPECT_EQ(layout.owner(Shape{3, 4}), 4);
  EXPECT_EQ(layout.local_index(Shape{3, 4}), 3);
  EXPECT_EQ(layout.local_size(6), 0);
}

TEST(Layout, text_names_every_dimension_and_idle_ranks) {
  const Layout layout({Distribution::block(4, 2), Distribution::cyclic(6, 3)}, 7);
  EXPECT_EQ(layout.text(), "[4: block over 2] x [6: cyclic over 3] on 7 ranks, 1 of them idle");
}

TEST(Layout, wrong_arguments_are_refused) {
  const auto half = Distribution::block(4, 2);
  const Index big = Index{1} << 40;
  EXPECT_THROW(Layout({}, 1), Error);
  EXPECT_THROW(Layout({half}, 0), Error);
  EXPECT_THROW(Layout({half, half}, 3), Error);
  EXPECT_THROW(Layout({Distribution::block(big, 1), Distribution::block(big, 1)}, 1), Error);
  EXPECT_THROW(Layout({Distribution::block(9, big), Distribution::block(9, big)}, 4), Error);
  const Layout layout({half}, 3);
  EXPECT_THROW(layout.owner(Shape{1, 1}), Error);
  EXPECT_THROW(layout.owner(Shape{4}), Error);
  EXPECT_THROW(layout.local_size(3), Error);
  EXPECT_THROW(layout.coordinates(2), Error);
  EXPECT_THROW(layout.global_index(2, 0), Error);
  EXPECT_THROW(intersection(layout, 0, Layout({Distribution::block(5, 2)}, 2), 0), Error);
}

}  // namespace
}  // namespace kallima
