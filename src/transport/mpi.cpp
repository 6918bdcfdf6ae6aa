// The door: from a user's MPI communicator to a Comm.

#include "kallima/mpi.hpp"

#include <algorithm>
#include <iterator>

#include "transport/mpi_check.hpp"
#include "transport/mpi_comm.hpp"
#include "transport/mpi_transport.hpp"
#include "transport/progress_thread.hpp"

namespace kallima {
namespace {

// Pieces are cut alike on both ends and windows are made by all ranks of a node or none.
void check_options(MPI_Comm comm, bool shared_windows, const Tuning& tuning) {
  const long long mine[] = {shared_windows ? 1 : 0, static_cast<long long>(tuning.piece_bytes), tuning.send_window,
                            tuning.receive_window, tuning.progress == ProgressBy::thread ? 1 : 0};
  constexpr int count = static_cast<int>(std::size(mine));
  long long least[count];
  long long most[count];
  check_mpi(MPI_Allreduce(mine, least, count, MPI_LONG_LONG, MPI_MIN, comm), "MPI_Allreduce");
  check_mpi(MPI_Allreduce(mine, most, count, MPI_LONG_LONG, MPI_MAX, comm), "MPI_Allreduce");
  const auto alike = [&](int i) { return least[i] == most[i] ? "alike" : "on some ranks only"; };
  const bool equal = std::equal(least, least + count, most);
  require(equal,
          "MpiOptions differ between ranks (pieces of {} to {} bytes, windows of {} to {} and {} to {}, threads {}, "
          "shared windows {}) "
          "pass equal options on all of them",
          least[1], most[1], least[2], most[2], least[3], most[3], alike(4), alike(0));
}

}  // namespace

Comm comm_with(MPI_Comm comm, bool shared_windows, const TuningWish& wish) {
  free_left(comm);
  const TuningInForce tuning = tuning_in_force(comm, wish);
  check_options(comm, shared_windows, tuning.tuning);
  const auto node = std::make_shared<NodeWindows>(comm, shared_windows);
  std::unique_ptr<Transport> transport = std::make_unique<MpiTransport>(duplicate_of(comm), tuning, node);
  if (tuning.tuning.progress == ProgressBy::thread) transport = with_progress_thread(std::move(transport));
  return Comm(std::move(transport));
}

Comm mpi_comm(MPI_Comm comm, const MpiOptions& options) {
  return comm_with(comm, options.shared_windows, {.exact = options.tuning});
}

}  // namespace kallima
