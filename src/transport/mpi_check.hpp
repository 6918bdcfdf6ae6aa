#pragma once
// MPI's return codes as Errors with MPI's own text. They are only seen on communicators, windows and files whose error
// handler is MPI_ERRORS_RETURN, which all of ours have.

#include <mpi.h>
#include <sched.h>

#include <span>
#include <string>

#include "base/check.hpp"

namespace kallima {

inline std::string mpi_text(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return {text, at(length)};
}

inline void check_mpi(int code, const char* call) {
  if (code != MPI_SUCCESS) fail("{} failed ({})", call, mpi_text(code));
}

inline bool mpi_is_over() {
  int over = 0;
  MPI_Finalized(&over);
  return over != 0;
}

inline int mpi_rank(MPI_Comm comm) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  return rank;
}

inline int mpi_size(MPI_Comm comm) {
  int size = 0;
  check_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  return size;
}

inline bool any_rank(MPI_Comm comm, bool mine) {  // collective
  const int one = mine ? 1 : 0;
  int any = 0;
  check_mpi(MPI_Allreduce(&one, &any, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
  return any != 0;
}

// Waits for a collective call without keeping the core from ranks that have yet to join it.
inline void wait_politely(MPI_Request request, const char* call, const auto& meanwhile) {
  for (int over = 0; over == 0; ::sched_yield(), meanwhile())
    check_mpi(MPI_Test(&request, &over, MPI_STATUS_IGNORE), call);
}

// Of equal blocks, by rank, to `all`.
inline MPI_Request start_gather(MPI_Comm comm, std::span<const std::byte> mine, std::span<std::byte> all) {
  const auto bytes = static_cast<int>(mine.size());
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, comm, &request),
            "MPI_Iallgather");
  return request;
}

inline MPI_Comm duplicate_of(MPI_Comm comm, const auto& meanwhile) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Comm_idup(comm, &copy, &request), "MPI_Comm_idup");
  wait_politely(request, "MPI_Comm_idup", meanwhile);
  return copy;
}

}  // namespace kallima
