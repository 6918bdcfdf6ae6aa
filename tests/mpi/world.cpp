#include "mpi/world.hpp"

#include "kallima/mpi.hpp"

namespace kallima {

Comm world(bool shared_windows, const std::optional<Tuning>& tuning) {
  return mpi_comm(MPI_COMM_WORLD, {.shared_windows = shared_windows, .tuning = tuning});
}

}  // namespace kallima
