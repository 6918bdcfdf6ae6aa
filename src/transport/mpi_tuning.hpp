#pragma once
// Which tuning is in force: what the caller gives, else the environment's KALLIMA_TUNING, else what kallima doctor has
// found, else the usual one; single settings change what comes after them in this list and leave the rest alone.

#include <mpi.h>

#include <string>

#include "kallima/job.hpp"

namespace kallima {

struct TuningInForce {
  Tuning tuning;
  std::string from = "default";
};

// Collective; the same on all ranks where their wishes and environments are. Throws on all of them or on none.
TuningInForce tuning_in_force(MPI_Comm comm, const MpiWorldOptions& wish);

// Throws on all ranks unless they agree on these. Collective.
void check_options(MPI_Comm comm, bool shared_windows, const Tuning& tuning);

bool on_several_hosts(MPI_Comm comm);  // collective
bool crowded(MPI_Comm comm);           // more ranks than cores on some machine; collective

// Before MPI is initialised: what may be in force, as far as one rank can know.
Tuning likely_tuning(const MpiWorldOptions& wish);

// mpi_comm() with wishes that a program may have and a library's user may not: settings on top of the usual tuning.
Comm comm_with(MPI_Comm comm, const MpiWorldOptions& wish);  // collective

}  // namespace kallima
