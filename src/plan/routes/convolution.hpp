#pragma once
// How many points the convolution of a Bluestein transform has, on how many ranks, and in how many slices (slices.hpp).

#include "kallima/types.hpp"

namespace kallima {

struct Convolution {
  Index points = 0;  // of all slices, each of which has a multiple of the square of the ranks
  Index ranks = 0;
  Index slices = 1;
};

// Of at least so many points on 2 or more ranks, exactly so many or whatever is fastest: a rank more is of no use if
// transforms of lengths that it divides are slow.
Convolution convolution_on(Index least, Index ranks);
Convolution choose_convolution(Index least, Index ranks);

}  // namespace kallima
