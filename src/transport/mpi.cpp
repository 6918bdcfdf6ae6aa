// The door: from a user's MPI communicator to a Comm.

#include "kallima/mpi.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "transport/mpi_check.hpp"
#include "transport/mpi_transport.hpp"

namespace kallima {
namespace {

// Pieces are cut alike on both ends and windows are made by all ranks of a node or none.
void check_options(MPI_Comm comm, const MpiOptions& options) {
  const long long mine[] = {options.shared_windows ? 1 : 0, static_cast<long long>(options.piece_bytes),
                            options.window};
  constexpr int count = static_cast<int>(std::size(mine));
  long long least[count];
  long long most[count];
  check_mpi(MPI_Allreduce(mine, least, count, MPI_LONG_LONG, MPI_MIN, comm), "MPI_Allreduce");
  check_mpi(MPI_Allreduce(mine, most, count, MPI_LONG_LONG, MPI_MAX, comm), "MPI_Allreduce");
  const bool equal = std::equal(least, least + count, most);
  require(
      equal,
      "MpiOptions differ between ranks (pieces of {} to {} bytes, windows of {} to {}, shared windows {}) pass equal "
      "options on all of them",
      least[1], most[1], least[2], most[2], least[0] == most[0] ? "alike" : "on some ranks only");
  const bool sound = mine[1] >= 1 && mine[1] <= (1 << 30) && mine[2] >= 1 && mine[2] <= (1 << 20);
  require(sound, "cannot send pieces of {} bytes, {} at once (1 to {} bytes and a window of 1 to {} will do)", mine[1],
          mine[2], 1 << 30, 1 << 20);
}

}  // namespace

Comm mpi_comm(MPI_Comm comm, const MpiOptions& options) {
  check_options(comm, options);
  const auto node = std::make_shared<Node>(comm, options.shared_windows);
  return Comm(std::make_shared<MpiTransport>(duplicate_of(comm), options, node));
}

}  // namespace kallima
