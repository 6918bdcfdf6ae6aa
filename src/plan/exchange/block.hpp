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

// In the array of all that a rank owns, stored so.
Strided place_in(const Block& owned, const Storage& storage, const Block& block);

// Row-major, from `offset` on.
Strided packed(const Block& block, Index offset);

// Lines along dimension `line`, with strides for loops over all others.
Piece lines_of(Buffer buffer, const Strided& place, const Block& block, std::size_t line, bool real);
std::vector<Index> loops_of(const Block& block, std::size_t line);

// The pass that moves a block, from `in` to `out` until it is told otherwise.
Pass move_block(const Block& block, const Strided& from, const Strided& to, bool real);

}  // namespace kallima
