#pragma once
// Transport::read_part and write_part by MPI-IO, on the ranks of `comm`, which are those of `transport`.

#include <mpi.h>

#include "kallima/transport.hpp"

namespace kallima {

void read_part_by_mpi(Transport& transport, MPI_Comm comm, const std::string& path, Index offset, const Layout& layout,
                      Index item_bytes, std::span<std::byte> part);
void write_part_by_mpi(Transport& transport, MPI_Comm comm, const std::string& path, std::span<const std::byte> header,
                       const Layout& layout, Index item_bytes, std::span<const std::byte> part);

}  // namespace kallima
