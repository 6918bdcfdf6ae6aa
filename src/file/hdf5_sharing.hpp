#pragma once
// What a parallel HDF5 adds, in HDF5's own numbers for its lists of properties; a serial one adds nothing.

#include <cstdint>

#include "kallima/transport.hpp"

namespace kallima {

// Makes a list for opening files one for all ranks of the transport together; false where they cannot.
bool share_files(std::int64_t access_list, Transport& transport);

// Makes a list for moving data one for all ranks at once.
void share_moves(std::int64_t transfer_list);

}  // namespace kallima
