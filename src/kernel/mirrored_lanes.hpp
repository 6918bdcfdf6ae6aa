#pragma once
// The one step of a long real transform that is not a complex one's. n reals, taken in pairs, are m = n/2 complex
// numbers; their spectrum Z and that of the reals, X, follow from each other at k and m-k together. Where transforms of
// `length` numbers leave Z[lane + period row], lane l has in row r what belongs to row length-1-r of lane period-l.
// Both are transformed from or to tiles, and what is between Z and X is done while it stands there: X is written, or
// read, once, and where it belongs.

#include <memory>

#include "kallima/backend.hpp"

namespace kallima::kernel {

// Lanes first, ..., first + count - 1 and those they meet, of lanes 1 to period/2: lane 0 meets itself, one row
// farther, as the spectrum of 2 length reals does. `count` is a vector of lanes at least.
struct MirroredLanes {
  Index length;
  Index period;
  Index stride;  // between neighbours of X, complex numbers
  Index first = 1;
  Index count = 0;
};

Index fewest_mirrored_lanes(Precision precision);

// Forward: from the rows of `length` numbers in Buffer::work, twiddle factors and scale done, to X in Buffer::out.
// Backward: from X in Buffer::in to `length` rows of `period` numbers in Buffer::work, twiddle factors done, not
// scaled.
std::shared_ptr<const Kernel> mirrored_kernel(Precision precision, Direction direction, const MirroredLanes& lanes);

}  // namespace kallima::kernel
