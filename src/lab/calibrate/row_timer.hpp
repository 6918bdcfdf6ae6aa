#pragma once
// What it takes to come from one row to the next: lines of elements that stand apart, moved one after the other from or
// to one place, each a step beside the last, as the chunks of an exchange are; less what the same lines take that stand
// along.

#include <memory>

#include "kallima/rates.hpp"

namespace kallima {

// In memory of so many bytes.
RowRate timed_row(Index length, bool meets, const std::shared_ptr<std::byte>& memory, std::size_t bytes);

}  // namespace kallima
