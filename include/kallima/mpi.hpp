#pragma once
// The one public header that knows MPI. Present where Kallima was built with MPI.

#include <mpi.h>

#include "kallima/comm.hpp"

namespace kallima {

struct MpiOptions {
  bool shared_windows = true;            // ranks of one node read each other's memory in place
  std::size_t piece_bytes = 256 * 1024;  // messages between nodes travel in pieces of this size,
  int window = 4;                        // so many of them under way to one peer at once
};

// Collective. Duplicates `comm`; MPI must stay initialised while the Comm, or anything made with it, lives.
Comm mpi_comm(MPI_Comm comm, const MpiOptions& options = {});

}  // namespace kallima
