#pragma once
// Which MPI starts a lab's ranks, with which mpirun, and which of our programs is linked with it.

#include <string>

#include "app/network_lab.hpp"

namespace kallima::cli {

Mpi built_with();                         // where there is an MPI in this program
Mpi chosen_mpi(const std::string& flag);  // openmpi, mpich, or empty: the one of this program
std::string launcher_of(Mpi mpi);         // throws where it is not on the PATH
std::string own_program(Mpi mpi);         // this program or its twin, which is linked with the other library

}  // namespace kallima::cli
