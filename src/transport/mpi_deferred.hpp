#pragma once
// Windows and communicators can only be freed by all of their ranks together, but ranks drop what they hold whenever
// they like: a garbage collector decides for some, an exception for others. So nothing is freed when it is dropped. It
// is kept here, under a name that is the same on all ranks, and freed the next time these ranks meet for something
// collective anyway: when memory is allocated for the next plan, when another communicator is made of them or, at the
// latest, in MPI_Finalize.

#include <mpi.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace kallima {

// The ranks that hold something: those of one mpi_comm() and what was made from it.
struct RankGroup {
  std::uint64_t name = 0;  // the same on all of them, and nobody else's
  int ranks = 1;
};

RankGroup group_of(MPI_Comm comm);  // collective

// `number` tells apart what a group holds, the same on all its ranks. Null handles take part in what others free.
void defer_free(const RankGroup& group, std::uint64_t number, MPI_Comm comm, MPI_Win window = MPI_WIN_NULL);

// Every rank's `mine` to `all`, by rank.
using Gather = std::function<void(std::span<const std::byte> mine, std::span<std::byte> all)>;

// Frees what all who held it have dropped, where these are among the so many ranks that meet here. Collective.
void free_deferred(int ranks, const Gather& gather);
void free_deferred(MPI_Comm comm);

}  // namespace kallima
