// The door: from a user's MPI communicator to a Comm.

#include "kallima/mpi.hpp"

#include <algorithm>
#include <iterator>

#include "transport/mpi_check.hpp"
#include "transport/mpi_transport.hpp"
#include "transport/mpi_world.hpp"

namespace kallima {
namespace {

// Pieces are cut alike on both ends and windows are made by all ranks of a node or none.
void check_options(MPI_Comm comm, bool shared_windows, const Tuning& tuning) {
  const long long mine[] = {shared_windows ? 1 : 0, static_cast<long long>(tuning.piece_bytes), tuning.send_window,
                            tuning.receive_window};
  constexpr int count = static_cast<int>(std::size(mine));
  long long least[count];
  long long most[count];
  check_mpi(MPI_Allreduce(mine, least, count, MPI_LONG_LONG, MPI_MIN, comm), "MPI_Allreduce");
  check_mpi(MPI_Allreduce(mine, most, count, MPI_LONG_LONG, MPI_MAX, comm), "MPI_Allreduce");
  const bool equal = std::equal(least, least + count, most);
  require(
      equal,
      "MpiOptions differ between ranks (pieces of {} to {} bytes, windows of {} to {} and {} to {}, shared windows {}) "
      "pass equal options on all of them",
      least[1], most[1], least[2], most[2], least[3], most[3], least[0] == most[0] ? "alike" : "on some ranks only");
  tuned(text(tuning));  // throws if a number is out of range
}

}  // namespace

Comm mpi_comm(MPI_Comm comm, const MpiOptions& options) {
  const Tuning tuning = options.tuning ? *options.tuning : MpiWorld::usual_tuning();
  check_options(comm, options.shared_windows, tuning);
  const auto node = std::make_shared<Node>(comm, options.shared_windows);
  return Comm(std::make_shared<MpiTransport>(duplicate_of(comm), tuning, node));
}

}  // namespace kallima
