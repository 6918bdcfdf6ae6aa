#pragma once
// A file cut into stretches of a few megabytes, each moved whole by one rank: round k has one stretch for every rank. A
// cyclic layout, whose runs are single items, then costs no more calls than a block layout, and every byte of the file
// is read or written once. (MPI-IO's file views would be shorter, and for a cyclic layout up to a hundred times slower:
// 4 to 14 MB/s measured with Open MPI 4.1, against several hundred.) What a part has of a stretch is one slice of the
// local array, since both are row-major, so only the stretch's side is shuffled.

#include <memory>
#include <span>
#include <vector>

#include "file/part_runs.hpp"
#include "kallima/memory.hpp"
#include "kallima/transport.hpp"

namespace kallima {

class Stretches {
 public:
  // Of an array that starts at byte `offset`. Collective; throws on all ranks when a part has not the size its layout
  // says.
  Stretches(Transport& transport, const Layout& layout, Index item_bytes, Index offset, std::size_t part_bytes);

  Index rounds() const { return (items_ + lead_ + step_ * ranks_ - 1) / (step_ * ranks_); }
  Index first_byte(Index round) const { return begin(round, rank_) * item_; }  // in the array
  std::span<std::byte> stretch(Index round) const;                             // this rank's; empty where there is none

  void deal_out(Index round, std::byte* part) const;       // collective: from the stretches to the parts
  void collect(Index round, const std::byte* part) const;  // collective: from the parts to the stretches

 private:
  struct Slice {  // of a rank's part, in bytes
    Index first = 0;
    Index bytes = 0;
  };
  struct Arrival {
    Request request;
    int from;
    std::span<std::byte> landing;
  };

  void prepare(const Layout& layout, std::size_t part_bytes);
  Index begin(Index round, int mover) const {
    return std::clamp<Index>((round * ranks_ + mover) * step_ - lead_, 0, items_);
  }
  Slice slice(int owner, Index round, int mover) const;
  template <class Copy>
  void each_run(Index round, int owner, Copy copy) const;
  void wait(Request request) const;
  void finish(const std::vector<Request>& sends) const;

  std::unique_ptr<Transport> transport_;  // of our own, so that no message of others is taken for ours
  int rank_;
  int ranks_;
  Index item_;
  Index items_ = 0;
  Index step_ = 1;
  Index lead_;  // items by which the first stretch is shorter, so that stretches end where pages of the file do
  std::vector<PartRuns> runs_;              // of all ranks
  Array<std::byte> sorted_;                 // a stretch in the file's order,
  std::unique_ptr<SharedMemory> by_owner_;  // and owner by owner
};

}  // namespace kallima
