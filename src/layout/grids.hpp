#pragma once
// Grids of ranks over the dimensions of an array. Which are possible, and which of those is best, is for the caller.

#include <functional>

#include "kallima/types.hpp"

namespace kallima {

// Whether a dimension may be dealt out to so many ranks, more than one.
using MayDeal = std::function<bool(std::size_t dim, Index parts)>;

// The grids that use as many of the ranks as any can, dealing out nothing but `order`: those with most ranks along the
// dimensions named first come first.
std::vector<Shape> widest_grids(std::size_t dims, const std::vector<std::size_t>& order, Index ranks,
                                const MayDeal& may);

}  // namespace kallima
