// The claims of one dimension's distribution, over every small extent, part count and cycle, and at extents near the
// end of what an Index holds.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "kallima/layout.hpp"

namespace kallima {
namespace {

constexpr Index max_extent = 13;
constexpr Index max_parts = 8;

void for_all_distributions_of(Index n, const std::function<void(const Distribution&)>& body) {
  for (Index p = 1; p <= max_parts; ++p)
    for (Index c = 1; c <= p; ++c)
      if (p % c == 0) body(Distribution::group_cyclic(n, p, c));
}

void for_all_distributions(const std::function<void(const Distribution&)>& body) {
  for (Index n = 1; n <= max_extent; ++n) for_all_distributions_of(n, body);
}

std::vector<Index> elements(const Progression& p) {
  std::vector<Index> all;
  for (Index i = 0; i < p.count; ++i) all.push_back(p.first + i * p.step);
  return all;
}

std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Distribution, owner_and_local_index_are_inverse_to_global_index) {
  for_all_distributions([](const Distribution& d) {
    for (Index j = 0; j < d.extent(); ++j) {
      EXPECT_EQ(d.global_index(d.owner(j), d.local_index(j)), j) << d.text();
    }
    for (Index part = 0; part < d.parts(); ++part)
      for (Index t = 0; t < d.local_extent(part); ++t) {
        EXPECT_EQ(d.owner(d.global_index(part, t)), part) << d.text();
        EXPECT_EQ(d.local_index(d.global_index(part, t)), t) << d.text();
      }
  });
}

TEST(Distribution, every_index_is_owned_exactly_once) {
  for_all_distributions([](const Distribution& d) {
    std::multiset<Index> all;
    for (Index part = 0; part < d.parts(); ++part) {
      const auto mine = elements(d.owned(part));
      EXPECT_EQ(static_cast<Index>(mine.size()), d.local_extent(part));
      EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
      all.insert(mine.begin(), mine.end());
    }
    std::multiset<Index> expected;
    for (Index j = 0; j < d.extent(); ++j) expected.insert(j);
    EXPECT_EQ(all, expected) << d.text();
  });
}

TEST(Distribution, groups_differ_by_at_most_one_element_and_parts_of_a_group_too) {
  for_all_distributions([](const Distribution& d) {
    std::vector<Index> groups(static_cast<std::size_t>(d.parts() / d.cycle()), 0);
    for (Index part = 0; part < d.parts(); ++part) {
      const Index mine = d.local_extent(part), head = d.local_extent(part / d.cycle() * d.cycle());
      EXPECT_TRUE(head - mine == 0 || head - mine == 1) << d.text();
      groups[static_cast<std::size_t>(part / d.cycle())] += mine;
    }
    const auto [least, most] = std::minmax_element(groups.begin(), groups.end());
    EXPECT_LE(*most - *least, 1) << d.text();
  });
}

TEST(Distribution, block_owns_intervals_and_cyclic_owns_residue_classes) {
  for (Index n = 1; n <= max_extent; ++n)
    for (Index p = 1; p <= max_parts; ++p)
      for (Index j = 0; j < n; ++j) {
        EXPECT_EQ(Distribution::cyclic(n, p).owner(j), j % p);
        EXPECT_EQ(Distribution::cyclic(n, p).local_index(j), j / p);
        EXPECT_LE(Distribution::block(n, p).owner(j > 0 ? j - 1 : 0), Distribution::block(n, p).owner(j));
      }
}

TEST(Distribution, group_cyclic_deals_a_block_to_each_group) {
  const auto d = Distribution::group_cyclic(16, 4, 2);
  EXPECT_EQ(elements(d.owned(0)), (std::vector<Index>{0, 2, 4, 6}));
  EXPECT_EQ(elements(d.owned(1)), (std::vector<Index>{1, 3, 5, 7}));
  EXPECT_EQ(elements(d.owned(3)), (std::vector<Index>{9, 11, 13, 15}));
}

TEST(Distribution, intersection_equals_brute_force_for_all_pairs) {
  for (Index n = 1; n <= max_extent; ++n)
    for_all_distributions_of(n, [n](const Distribution& x) {
      for_all_distributions_of(n, [&x](const Distribution& y) {
        for (Index a = 0; a < x.parts(); ++a)
          for (Index b = 0; b < y.parts(); ++b) {
            std::vector<Index> expected;
            for (const Index j : elements(x.owned(a)))
              if (y.owner(j) == b) expected.push_back(j);
            ASSERT_EQ(elements(intersection(x, a, y, b)), expected) << x.text() << " and " << y.text();
          }
      });
    });
}

TEST(Distribution, intersection_equals_brute_force_for_coprime_cycles_at_larger_extents) {
  const auto x = Distribution::group_cyclic(997, 12, 6);
  for (const Index p : {5, 7, 35, 15, 4, 9}) {
    const auto y = Distribution::cyclic(997, p);
    for (Index a = 0; a < x.parts(); ++a)
      for (Index b = 0; b < p; ++b) {
        std::vector<Index> expected;
        for (const Index j : elements(x.owned(a)))
          if (y.owner(j) == b) expected.push_back(j);
        ASSERT_EQ(elements(intersection(x, a, y, b)), expected) << a << " " << b << " " << p;
      }
  }
}

TEST(Distribution, huge_extents_do_not_overflow) {
  const Index n = (Index{1} << 60) + 3;
  for (const Index p : {Index{1}, Index{7}, Index{1024}, Index{1} << 40})
    for (const Index c : {Index{1}, p}) {
      const auto d = Distribution::group_cyclic(n, p, c);
      for (const Index j : {Index{0}, n / 3, n / 2 + 1, n - 1}) {
        ASSERT_GE(d.owner(j), 0);
        ASSERT_LT(d.owner(j), p);
        EXPECT_EQ(d.global_index(d.owner(j), d.local_index(j)), j) << d.text();
      }
      EXPECT_EQ(d.owner(n - 1), c == 1 ? p - 1 : (n - 1) % p);
    }
}

TEST(Distribution, intersections_of_huge_extents_are_exact) {
  const Index n = Index{1} << 60;
  const auto x = Distribution::cyclic(n, (Index{1} << 31) - 1), y = Distribution::cyclic(n, (Index{1} << 31) - 3);
  const Index j = n - 12345;
  const Progression shared = intersection(x, x.owner(j), y, y.owner(j));
  EXPECT_EQ(shared.count, 1);
  EXPECT_EQ(shared.first, j);
  const auto halves = Distribution::block(n, 2), odd = Distribution::cyclic(n, 2);
  EXPECT_EQ(intersection(halves, 1, odd, 1), (Progression{n / 2 + 1, 2, n / 4}));
  const auto wide = Distribution::cyclic(n, n - 1), other = Distribution::cyclic(n, n - 2);
  EXPECT_EQ(intersection(wide, 7, other, 7).count, 1);
  EXPECT_EQ(intersection(wide, 7, other, 8).count, 0);
}

TEST(Distribution, more_parts_than_elements_leave_some_parts_empty) {
  for (const Index c : {1, 2, 3, 6}) {
    const auto d = Distribution::group_cyclic(4, 6, c);
    Index empty = 0;
    for (Index part = 0; part < 6; ++part) empty += d.local_extent(part) == 0 ? 1 : 0;
    EXPECT_EQ(empty, 2) << d.text();
  }
}

TEST(Distribution, wrong_arguments_are_named) {
  EXPECT_NE(error_of([] { Distribution::block(0, 2); }).find("cannot distribute 0 elements"), std::string::npos);
  EXPECT_NE(error_of([] { Distribution::cyclic(4, 0); }).find("over 0 parts"), std::string::npos);
  EXPECT_NE(error_of([] { Distribution::cyclic(4, -2); }).find("over -2 parts"), std::string::npos);
  EXPECT_NE(error_of([] { Distribution::group_cyclic(4, 6, 4); }).find("cycle 4 does not fit 6"), std::string::npos);
  EXPECT_NE(error_of([] { Distribution::group_cyclic(4, 6, 0); }).find("cycle 0"), std::string::npos);
  const auto d = Distribution::block(4, 2);
  EXPECT_NE(error_of([&] { d.owner(4); }).find("index 4 is outside"), std::string::npos);
  EXPECT_NE(error_of([&] { d.local_index(-1); }).find("index -1 is outside"), std::string::npos);
  EXPECT_NE(error_of([&] { d.owned(2); }).find("no part 2"), std::string::npos);
  EXPECT_NE(error_of([&] { d.global_index(1, 2); }).find("no local index 2"), std::string::npos);
  EXPECT_NE(error_of([&] { intersection(d, 0, Distribution::block(5, 2), 0); }).find("4 and 5"), std::string::npos);
}

TEST(Distribution, text_names_the_kind) {
  EXPECT_EQ(Distribution::cyclic(256, 2).text(), "256: cyclic over 2");
  EXPECT_EQ(Distribution::block(31, 4).text(), "31: block over 4");
  EXPECT_EQ(Distribution::group_cyclic(64, 8, 2).text(), "64: group-cyclic over 8, cycle 2");
  EXPECT_EQ(Distribution::block(5, 1).text(), "5: whole");
}

}  // namespace
}  // namespace kallima
