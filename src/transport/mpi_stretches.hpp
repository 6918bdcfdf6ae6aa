#pragma once
// A file cut into stretches of a few megabytes, each moved whole by one rank: round k has one stretch for every rank.
// What a part has of a stretch is one slice of the local array, since both are row-major, so only the stretch's side
// is shuffled and MPI_Alltoallv reads and writes the parts themselves.

#include <mpi.h>

#include <span>
#include <vector>

#include "kallima/memory.hpp"
#include "kallima/transport.hpp"
#include "transport/part_runs.hpp"

namespace kallima {

class MpiStretches {
 public:
  // Collective; throws on all ranks when a part has not the size its layout says.
  MpiStretches(Transport& transport, MPI_Comm comm, const Layout& layout, Index item_bytes, std::size_t part_bytes);

  Index rounds() const { return (items_ + step_ * ranks_ - 1) / (step_ * ranks_); }
  Index first_byte(Index round) const { return begin(round, rank_) * item_; }
  std::span<std::byte> stretch(Index round) const;  // this rank's; empty where the file has ended

  void deal_out(Index round, std::byte* part) const;       // collective: from the stretches to the parts
  void collect(Index round, const std::byte* part) const;  // collective: from the parts to the stretches

 private:
  // Counts and places for MPI_Alltoallv, in bytes.
  struct Exchange {
    std::vector<int> in_part, part_place;        // by the rank that moves the stretch; places from part_begin on
    std::vector<int> in_stretch, stretch_place;  // by the rank that owns the items
    Index part_begin = 0;                        // items
  };

  void prepare(const Layout& layout, std::size_t part_bytes);
  Index begin(Index round, int rank) const { return std::min(items_, (round * ranks_ + rank) * step_); }
  Exchange exchange(Index round) const;
  template <class Copy>
  void each_run(Index round, const Exchange& e, Copy copy) const;

  MPI_Comm comm_;
  int rank_;
  int ranks_;
  Index item_;
  Index items_ = 0;
  Index step_ = 1;
  std::vector<PartRuns> runs_;          // of all ranks
  Array<std::byte> sorted_, by_owner_;  // a stretch in the file's order, and owner by owner
};

}  // namespace kallima
