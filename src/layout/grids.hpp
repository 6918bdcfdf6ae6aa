#pragma once
// Grids of ranks over the dimensions of an array. Which are possible, and which of those is best, is for the caller.

#include <algorithm>
#include <functional>

#include "kallima/types.hpp"

namespace kallima {

// Whether a dimension may be dealt out to so many ranks, more than one.
using MayDeal = std::function<bool(std::size_t dim, Index parts)>;

// The grids that use as many of the ranks as any can, dealing out nothing but `order`: those with most ranks along the
// dimensions named first come first.
inline std::vector<Shape> widest_grids(std::size_t dims, const std::vector<std::size_t>& order, Index ranks,
                                       const MayDeal& may) {
  std::vector<Shape> found;
  Shape grid(dims, 1);
  Index widest = 0;
  const std::function<void(std::size_t, Index)> search = [&](std::size_t i, Index used) {
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
  };
  search(0, 1);
  return found;
}

}  // namespace kallima
