#pragma once
// The one public header that knows MPI. Present where Kallima was built with MPI.

#include <mpi.h>

#include <optional>

#include "kallima/comm.hpp"
#include "kallima/tuning.hpp"

namespace kallima {

struct MpiOptions {
  bool shared_windows = true;         // ranks of one node read each other's memory in place
  std::optional<Tuning> tuning = {};  // of messages; nothing: the usual one, with what KALLIMA_TUNING says
};

// Collective. Duplicates `comm`; MPI must stay initialised while the Comm, or anything made with it, lives. Throws where
// there is no MPI, or `comm` is null or an intercommunicator. Waits for all ranks of `comm`; ranks that do so for the
// first time cannot know that another one will never come, but say so after 10 s.
Comm mpi_comm(MPI_Comm comm, const MpiOptions& options = {});

}  // namespace kallima
