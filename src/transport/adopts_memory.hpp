#pragma once
// A transport that passes views of memory it has not made: a device's, which every process has at an address of its
// own. Who shares it finds out the addresses; here they only become known, so that a block of it is sent as a view is.

#include <memory>
#include <vector>

#include "kallima/transport.hpp"

namespace kallima {

class AdoptsMemory {
 public:
  virtual ~AdoptsMemory() = default;
  // `there`: by rank, where this process has theirs, for those that it sees. The rank's own lives until all ranks have
  // dropped what they get here, and meet the next time. Collective.
  virtual std::unique_ptr<SharedMemory> adopt(std::shared_ptr<std::byte> memory, std::size_t bytes,
                                              const std::vector<std::byte*>& there) = 0;
};

}  // namespace kallima
