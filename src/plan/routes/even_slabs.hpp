#pragma once
// Slabs of one axis that, where all ranks have as many indices of it, are said to be a grid: of what is a product of
// slots packing is a part of the transform before it, and unpacking of the one after it, and of boxes it is not.

#include "kallima/layout.hpp"

namespace kallima {

inline Layout even_slabs(const Shape& shape, int ranks, std::size_t axis, Index block = 0) {
  const Index n = shape[axis];
  if (n % ranks != 0 || (block != 0 && block * ranks != n)) return Layout::slabs(shape, ranks, axis, block);
  Shape grid(shape.size(), 1);
  grid[axis] = ranks;
  return Layout::blocks(shape, grid, ranks);
}

}  // namespace kallima
