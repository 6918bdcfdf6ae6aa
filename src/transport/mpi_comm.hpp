#pragma once
// mpi_comm() with a wish that a program may have and a library's user may not: words on top of the usual tuning.

#include "kallima/comm.hpp"
#include "transport/mpi_tuning.hpp"

namespace kallima {

Comm comm_with(MPI_Comm comm, bool shared_windows, const TuningWish& wish);  // collective

}  // namespace kallima
