/* Kallima in C on MPI: where communicators come from. Link kallima_c_mpi in place of kallima_c. */
#ifndef KALLIMA_MPI_H
#define KALLIMA_MPI_H

#include "kallima.h"
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collective. Duplicates `comm`; MPI must stay initialised while the result, or a plan made with it, lives. */
KALLIMA_API kallima_comm kallima_mpi_comm(MPI_Comm comm);
KALLIMA_API kallima_comm kallima_mpi_comm_f(MPI_Fint comm); /* of a Fortran handle */

#ifdef __cplusplus
}
#endif

#endif
