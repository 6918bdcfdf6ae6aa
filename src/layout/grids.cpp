#include "layout/grids.hpp"

#include <algorithm>

namespace kallima {
namespace {

struct GridSearch {
  const std::vector<std::size_t>& order;
  Index ranks;
  const MayDeal& may;
  Shape grid;
  Index widest = 0;
  std::vector<Shape> found = {};

  void search(std::size_t i, Index used) {
    if (i == order.size()) {
      if (used > widest) found.clear();
      if (used >= widest) found.push_back(grid);
      widest = std::max(widest, used);
      return;
    }
    for (Index p = ranks / used; p >= 1; --p) {
      if (p > 1 && !may(order[i], p)) continue;
      grid[order[i]] = p;
      search(i + 1, used * p);
      if (i + 1 == order.size()) break;  // fewer along the last one are fewer in all
    }
    grid[order[i]] = 1;
  }
};

}  // namespace

std::vector<Shape> widest_grids(std::size_t dims, const std::vector<std::size_t>& order, Index ranks,
                                const MayDeal& may) {
  GridSearch all{order, ranks, may, Shape(dims, 1)};
  all.search(0, 1);
  return std::move(all.found);
}

}  // namespace kallima
