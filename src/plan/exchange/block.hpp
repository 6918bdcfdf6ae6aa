#pragma once
// A block is what two ranks share: a box with steps, one Progression per dimension. This is where its elements stand,
// in a rank's array or packed by itself, and the pieces and passes that reach them.

#include "kallima/problem.hpp"
#include "kallima/schedule.hpp"

namespace kallima {

using Block = std::vector<Progression>;

Index count_of(const Block& block);
Shape shape_of(const Block& block);

// An offset, and the distance of neighbours in each dimension.
struct Strided {
  Index offset = 0;
  std::vector<Index> strides;
};

// Of a block inside another one, whose elements stand at `offset` with these strides.
Strided place_in(const Block& whole, const std::vector<Index>& strides, const Block& block, Index offset = 0);

// Row-major, from `offset` on.
Strided packed(const Block& block, Index offset);

Block common(const Block& a, const Block& b);  // empty in all dimensions where it is in one

}  // namespace kallima
