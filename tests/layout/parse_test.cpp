// Layouts as words: what they mean, that they come back, and what is said about wrong ones.

#include <gtest/gtest.h>

#include "kallima/layout.hpp"

namespace kallima {
namespace {

Layout dealt(Index n, Index p, Index c, Index m, Index q, Index d) {
  const auto ranks = static_cast<int>(p * q + 1);
  return {{Distribution::group_cyclic(n, p, c), Distribution::group_cyclic(m, q, d)}, ranks};
}

TEST(LayoutWords, every_grid_comes_back) {
  for (const Index p : {1, 2, 3, 4, 6})
    for (const Index q : {1, 2, 4})
      for (Index c = 1; c <= p; ++c)
        for (Index d = 1; d <= q; ++d) {
          if (p % c != 0 || q % d != 0) continue;
          const Layout layout = dealt(7, p, c, 10, q, d);
          EXPECT_EQ(layout_from_text(layout_to_text(layout), {7, 10}, layout.ranks()), layout)
              << layout_to_text(layout);
        }
}

TEST(LayoutWords, boxes_come_back_with_their_empty_ones) {
  const Layout boxes = Layout::boxes({4, 3}, {{{0, 0}, {2, 3}}, {{0, 0}, {0, 0}}, {{2, 0}, {4, 3}}});
  EXPECT_EQ(layout_from_text(layout_to_text(boxes), {4, 3}, 3), boxes);
}

TEST(LayoutWords, usual_words_mean_the_usual) {
  EXPECT_EQ(layout_from_text("slab", {8, 8, 8}, 4), Layout::blocks({8, 8, 8}, {4, 1, 1}, 4));
  EXPECT_EQ(layout_from_text("slab:-1", {8, 8, 8}, 4), Layout::blocks({8, 8, 8}, {1, 1, 4}, 4));
  EXPECT_EQ(layout_from_text("pencil", {64, 64, 64}, 16), Layout::blocks({64, 64, 64}, {4, 4, 1}, 16));
  EXPECT_EQ(layout_from_text("pencil:0", {64, 64, 64}, 16), Layout::blocks({64, 64, 64}, {1, 4, 4}, 16));
  EXPECT_EQ(layout_from_text("brick", {64, 64, 64}, 8), Layout::blocks({64, 64, 64}, {2, 2, 2}, 8));
  EXPECT_EQ(layout_from_text("cyclic:2x3", {8, 9}, 6), Layout::cyclic({8, 9}, {2, 3}, 6));
}

TEST(LayoutWords, more_ranks_than_can_have_a_part_stay_idle) {
  EXPECT_EQ(layout_from_text("slab", {3, 5}, 7), Layout::blocks({3, 5}, {3, 1}, 7));
  EXPECT_EQ(layout_from_text("brick", {2, 2}, 7), Layout::blocks({2, 2}, {2, 2}, 7));
}

TEST(LayoutWords, wrong_words_say_what_is_wrong) {
  const auto complaint = [](const std::string& words) {
    try {
      layout_from_text(words, {8, 6}, 4);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  const std::pair<const char*, const char*> wrong[] = {{"blocks", "there is no layout"},
                                                       {"block", "no whole number"},
                                                       {"block:2xx", "no whole number"},
                                                       {"block:2", "1 dimensions, but the array has 2"},
                                                       {"block:0x2", "0 parts"},
                                                       {"block:4x2", "more than the 4 ranks"},
                                                       {"group:4x1", "lacks the cycles"},
                                                       {"group:4x1/3x1", "cycle 3 does not fit"},
                                                       {"slab:2", "names axis 2"},
                                                       {"brick:1", "takes no axis"},
                                                       {"boxes:/nowhere/at/all", "cannot be read"},
                                                       {"boxes:[1,2]", "holds no boxes"},
                                                       {"boxes:[", "holds no boxes"},
                                                       {"boxes:[[[0,0],[8,1e100]]]", "holds no boxes"},
                                                       {"boxes:[[[0,0],[8,5.5]]]", "holds no boxes"},
                                                       {"boxes:[[[0,0],[8,18446744073709551615]]]", "holds no boxes"},
                                                       {"boxes:[[[0,0],[8,6]]]", "1 boxes for 4 ranks"}};
  for (const auto& [words, part] : wrong) EXPECT_NE(complaint(words).find(part), std::string::npos) << complaint(words);
}

}  // namespace
}  // namespace kallima
