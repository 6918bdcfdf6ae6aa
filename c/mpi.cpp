// Communicators of C programs that use MPI: the one file of the C interface that knows it.

#include "kallima/mpi.hpp"

#include "c/calls.hpp"
#include "c/include/kallima-mpi.h"

using namespace kallima::c;

kallima_comm kallima_mpi_comm(MPI_Comm comm) {
  return made([&] { return new kallima_comm_s{kallima::mpi_comm(comm)}; });
}

kallima_comm kallima_mpi_comm_f(MPI_Fint comm) { return kallima_mpi_comm(MPI_Comm_f2c(comm)); }
