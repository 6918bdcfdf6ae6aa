#pragma once
// Random layouts of every kind there is.

#include "app/fuzz_random.hpp"
#include "kallima/layout.hpp"

namespace kallima::cli {

Layout random_layout(Random& random, const Shape& shape, int ranks);

}  // namespace kallima::cli
