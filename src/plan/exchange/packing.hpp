#pragma once
// Where allocations stand in memory, each of which is used from one task to another: those that are used at the same
// time must not meet, and all of them together shall take little.

#include <vector>

#include "kallima/types.hpp"

namespace kallima {

struct MemoryUse {
  Index words = 0;  // whole cache lines
  Index reals = 0;  // that are used of these
  int first = 0;    // tasks
  int last = 0;
  bool fresh = true;      // rather in memory that nobody has used yet
  bool fits_out = false;  // it may stand in the result's memory
  Index base = 0;         // of what is there already
};

struct MemoryPlace {
  bool in_out = false;
  Index base = 0;  // words
  bool operator==(const MemoryPlace&) const = default;
};

struct MemoryMap {
  std::vector<MemoryPlace> places;  // by number of use
  Index words = 0;                  // that the work buffer has
};

// Memory of the result costs nothing, if an allocation fits its reals. In the work buffer allocations are far from each
// other, in the order of use, where `spare` words are enough for that; where they are not, they are packed as tightly
// as one order or another allows. `fixed` are in the result's memory.
MemoryMap packed_memory(const std::vector<MemoryUse>& uses, const std::vector<MemoryUse>& fixed, Index reals_of_out,
                        Index spare);

}  // namespace kallima
