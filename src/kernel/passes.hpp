#pragma once
// What the processor's backend makes of a Pass, by what it does and to what. A Kernel of each kind has decided
// everything beforehand, and running it only loops.

#include "kallima/backend.hpp"

namespace kallima::kernel {

using Compiled = std::unique_ptr<const Kernel>;

// Complex numbers at both ends.
template <class T>
Compiled complex_pass(const Pass& pass, std::size_t depth, Direction direction, Effort effort);

// Reals at one end or at both, or complex numbers taken apart into them.
template <class T>
Compiled real_pass(const Pass& pass, std::size_t depth, Direction direction, Effort effort);

// To encode and to decode. Throws Error where the room is too short for what is encoded.
template <class T>
Compiled wire_pass(const Pass& pass, std::size_t depth);

// Where a piece begins, `at` being the indices of the enclosing repeats.
inline Index first_element(const Piece& piece, std::span<const Index> at) {
  Index offset = piece.offset;
  for (std::size_t d = 0; d < at.size(); ++d) offset += at[d] * piece.strides[d];
  return offset;
}

}  // namespace kallima::kernel
