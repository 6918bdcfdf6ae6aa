#pragma once
// How many points the convolution of a Bluestein transform has, and on how many ranks.

#include "kallima/types.hpp"

namespace kallima {

struct Convolution {
  Index points = 0;  // a multiple of the square of the ranks, and at least 2n - 1
  Index ranks = 0;
};

// For a line of n >= 2 points on 2 or more ranks, exactly so many or whatever is fastest: a rank more is of no use if
// transforms of lengths that it divides are slow.
Convolution convolution_on(Index n, Index ranks);
Convolution choose_convolution(Index n, Index ranks);

}  // namespace kallima
