#pragma once
// The largest of a number that every rank has.

#include <algorithm>
#include <vector>

#include "kallima/transport.hpp"

namespace kallima {

template <class Number>
Number largest_of_all(Transport& transport, Number mine) {  // collective
  std::vector<Number> all(static_cast<std::size_t>(transport.size()));
  transport.gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return *std::max_element(all.begin(), all.end());
}

}  // namespace kallima
