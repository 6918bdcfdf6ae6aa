#pragma once
// The largest of a number that every rank has.

#include <algorithm>
#include <vector>

#include "kallima/transport.hpp"

namespace kallima {

template <class Number>
Number largest_of_all(Transport& transport, Number mine) {  // collective
  const std::vector<Number> all = gathered(transport, mine);
  return *std::max_element(all.begin(), all.end());
}

}  // namespace kallima
