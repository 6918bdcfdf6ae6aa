// Grids may leave ranks without a part, and parts without an element. Boxes come from cutting the array in two again
// and again; who gets which is drawn, and so is who gets none.

#include "app/fuzz_layout.hpp"

#include <algorithm>

namespace kallima::cli {
namespace {

// One divisor of the ranks that are left after the other, dealt to dimensions at random.
Shape random_grid(Random& random, std::size_t dims, int ranks) {
  Shape grid(dims, 1);
  Index left = random.once_in(4) ? random.between(1, ranks) : ranks;
  for (Index p = 2; left > 1; ++p)
    for (; left % p == 0; left /= p)
      grid[static_cast<std::size_t>(random.between(0, static_cast<Index>(dims) - 1))] *= p;
  return grid;
}

Index random_divisor(Random& random, Index n) {
  std::vector<Index> divisors;
  for (Index d = 1; d <= n; ++d)
    if (n % d == 0) divisors.push_back(d);
  return random.one_of(divisors);
}

enum class Dealing { blocks, cyclic, groups };

Layout random_dealing(Random& random, const Shape& shape, int ranks, Dealing how) {
  const Shape grid = random_grid(random, shape.size(), ranks);
  std::vector<Distribution> dims;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const Index cycle = how == Dealing::blocks ? 1 : how == Dealing::cyclic ? grid[k] : random_divisor(random, grid[k]);
    dims.push_back(Distribution::group_cyclic(shape[k], grid[k], cycle));
  }
  return {std::move(dims), ranks};
}

Index extent(const Box& box, std::size_t k) { return box.end[k] - box.begin[k]; }

// Cuts one of the boxes somewhere along one of its longer sides; false where the one drawn is a single element.
bool cut_one(Random& random, std::vector<Box>& boxes) {
  const auto which = static_cast<std::size_t>(random.between(0, static_cast<Index>(boxes.size()) - 1));
  std::vector<std::size_t> sides;
  for (std::size_t k = 0; k < boxes[which].begin.size(); ++k)
    if (extent(boxes[which], k) > 1) sides.push_back(k);
  if (sides.empty()) return false;
  const std::size_t k = random.one_of(sides);
  Box upper = boxes[which];
  upper.begin[k] = boxes[which].end[k] = random.between(upper.begin[k] + 1, upper.end[k] - 1);
  boxes.push_back(std::move(upper));
  return true;
}

Layout random_boxes(Random& random, const Shape& shape, int ranks) {
  const Index full = random.once_in(3) ? random.between(1, ranks) : ranks;
  std::vector<Box> boxes{{Shape(shape.size(), 0), shape}};
  for (int tries = 0; static_cast<Index>(boxes.size()) < full && tries < 4 * ranks; ++tries) cut_one(random, boxes);
  while (static_cast<int>(boxes.size()) < ranks) boxes.push_back({Shape(shape.size(), 0), Shape(shape.size(), 0)});
  random.shuffle(boxes);
  return Layout::boxes(shape, std::move(boxes));
}

}  // namespace

Layout random_layout(Random& random, const Shape& shape, int ranks) {
  switch (random.between(0, 4)) {
    case 0:
      return random_dealing(random, shape, ranks, Dealing::cyclic);
    case 1:
      return random_dealing(random, shape, ranks, Dealing::groups);
    case 2:
      return random_boxes(random, shape, ranks);
    default:
      return random_dealing(random, shape, ranks, Dealing::blocks);
  }
}

}  // namespace kallima::cli
