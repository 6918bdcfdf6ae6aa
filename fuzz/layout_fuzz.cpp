// An input is a shape, a number of ranks and a layout, as `12x10 6 pencil:0`. Whatever the layout says, it is refused
// by an Error or deals out every element to one owner, at a place of its own there, and its text reads back the same.

#include <numeric>

#include "base/text.hpp"
#include "fuzz/fuzz.hpp"
#include "kallima/layout.hpp"

namespace kallima::fuzz {
namespace {

constexpr int most_ranks = 64;
constexpr Index few_elements = 300;

void check_owners(const Layout& layout, Index count) {
  std::vector<bool> found(at(count), false);
  for (int rank = 0; rank < layout.ranks(); ++rank)
    for (Index t = 0; t < layout.local_size(rank); ++t) {
      const Shape j = layout.global_index(rank, t);
      Index number = 0;
      for (std::size_t k = 0; k < j.size(); ++k) {
        must(j[k] >= 0 && j[k] < layout.shape()[k], "indices lie inside the array");
        number = number * layout.shape()[k] + j[k];
      }
      must(!found[at(number)], "an element has one owner");
      found[at(number)] = true;
      must(layout.owner(j) == rank && layout.local_index(j) == t, "owner and place are known again");
    }
}

void check_layout(const Layout& layout) {
  const Index count = std::accumulate(layout.shape().begin(), layout.shape().end(), Index{1}, std::multiplies<>());
  Index owned = 0;
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    must(layout.local_size(rank) >= 0 && layout.local_size(rank) <= count - owned, "parts fit the whole");
    owned += layout.local_size(rank);
  }
  must(owned == count, "every element is owned once");
  must(layout_from_text(layout_to_text(layout), layout.shape(), layout.ranks()) == layout,
       "the text reads back the same");
  must(!layout.text().empty(), "it can be described");
  if (count <= few_elements) check_owners(layout, count);
}

}  // namespace

// Boxes in a file are read as those in a list are.
void check(const std::string& input) {
  const std::vector<std::string> parts = split(input, ' ');
  if (parts.size() != 3 || (parts[2].starts_with("boxes:") && !parts[2].starts_with("boxes:["))) return;
  Shape shape;
  for (const std::string& extent : split(parts[0], 'x')) shape.push_back(number_in<Index>(extent).value_or(1));
  const int ranks = number_in<int>(parts[1]).value_or(1);
  if (ranks > most_ranks || shape.size() > 8) return;
  std::optional<Layout> layout;
  if (accepted([&] { layout = layout_from_text(parts[2], shape, ranks); })) check_layout(*layout);
}

std::vector<std::string> seeds() {
  return {"12x10 6 block:3x2",
          "12x10 6 cyclic:2x3",
          "12x10 8 group:4x2/2x1",
          "7 3 slab",
          "7x5 5 slab:1",
          "4x6x5 8 pencil",
          "4x6x5 7 pencil:-3",
          "4x6x5 8 brick",
          "4x3 2 boxes:[[[0,0],[2,3]],[[2,0],[4,3]]]",
          "4x3 3 boxes:[[[0,0],[4,1]],[[0,1],[4,3]],[[0,0],[0,0]]]"};
}

std::vector<std::string> words() {
  return {"block:", "cyclic:", "group:", "slab", "pencil", "brick", "boxes:[", "[[0,0],[2,3]]", "x", "/", ":",
          " ",      "[",       "]",      ",",    "null",   "-",     "{",       "\xff"};
}

}  // namespace kallima::fuzz
