#pragma once
// A file cut into stretches of a few megabytes, each moved whole by one rank: round k has one stretch for every rank. A
// cyclic layout, whose runs are single items, then costs no more calls than a block layout, and every byte of the file
// is read or written once. (MPI-IO's file views would be shorter, and for a cyclic layout up to a hundred times slower:
// 4 to 14 MB/s measured with Open MPI 4.1, against several hundred.) What a part has of a stretch is one slice of the
// local array, since both are row-major, so only the stretch's side is shuffled. A round's messages are
// few and large: at most one from every rank to every other.

#include <cstring>
#include <memory>
#include <span>

#include "file/part_runs.hpp"
#include "kallima/memory.hpp"
#include "transport/requests.hpp"

namespace kallima {

class Stretches {
 public:
  // Of an array that starts at byte `offset`. Collective; throws on all ranks when a part's size is not its layout's.
  Stretches(Transport& transport, const Layout& layout, Index item_bytes, Index offset, std::size_t part_bytes)
      : transport_(transport.duplicate()), rank_(transport.rank()), ranks_(transport.size()), item_(item_bytes) {
    agree(*transport_, {{"layout", describe(layout)},
                        {"item_bytes", fmt::format("{}", item_bytes)},
                        {"offset", fmt::format("{}", offset)}});
    together(*transport_, [&] { prepare(layout, part_bytes); });
    lead_ = offset / item_ % step_;
    by_owner_ = transport_->allocate(at(sorted_.size()));
  }

  Index rounds() const { return (items_ + lead_ + step_ * ranks_ - 1) / (step_ * ranks_); }
  Index first_byte(Index round) const { return begin(round, rank_) * item_; }  // in the array
  std::span<std::byte> stretch(Index round) const {                            // this rank's; empty where there is none
    return sorted_.span().first(at((begin(round, rank_ + 1) - begin(round, rank_)) * item_));
  }

  void deal_out(Index round, std::byte* part) const {  // collective: from the stretches to the parts
    const Blocks mine = slices(round, part), theirs = by_owner(round, mine);
    for (int owner = 0; owner < ranks_; ++owner)
      each_run(round, owner, [&](const std::byte* in_file, Index place, std::size_t n) {
        std::memcpy(theirs[at(owner)].data() + place, in_file, n);
      });
    exchange(theirs, mine, [&](int mover, const std::byte* came) {
      const std::span<std::byte> landing = mine[at(mover)];
      if (came != landing.data()) std::memcpy(landing.data(), came, landing.size());
    });
  }

  void collect(Index round, const std::byte* part) const {  // collective: from the parts to the stretches
    const Blocks mine = slices(round, const_cast<std::byte*>(part)), theirs = by_owner(round, mine);  // mine are read
    exchange(mine, theirs, [&](int owner, const std::byte* came) {
      each_run(round, owner, [&](std::byte* in_file, Index at, std::size_t n) { std::memcpy(in_file, came + at, n); });
    });
  }

 private:
  struct Slice {  // of a rank's part, in bytes
    Index first = 0, bytes = 0;
  };
  using Blocks = std::vector<std::span<std::byte>>;  // by rank

  // What every rank moves of this rank's part.
  Blocks slices(Index round, std::byte* part) const {
    Blocks blocks;
    for (int mover = 0; mover < ranks_; ++mover) {
      const Slice mine = slice(rank_, round, mover);
      blocks.emplace_back(part + mine.first, at(mine.bytes));
    }
    return blocks;
  }

  // What every rank owns of this rank's stretch, one block behind the other; its own is where it belongs already.
  Blocks by_owner(Index round, const Blocks& mine) const {
    Blocks blocks;
    std::byte* next = by_owner_->bytes().data();
    for (int owner = 0; owner < ranks_; ++owner) {
      const auto bytes = at(slice(owner, round, rank_).bytes);
      blocks.emplace_back(owner == rank_ ? mine[at(rank_)].data() : next, bytes);
      if (owner != rank_) next += bytes;
    }
    return blocks;
  }

  // Sends a block to every rank that one is for and calls use(rank, block) with this rank's own and those that come.
  void exchange(const Blocks& blocks, const Blocks& landings, const auto& use) const {
    std::vector<std::pair<int, Request>> receives, sends;
    for (int peer = 0; peer < ranks_; ++peer)
      if (const auto& landing = landings[at(peer)]; peer != rank_ && !landing.empty())
        receives.emplace_back(peer, transport_->post_recv(peer, 0, landing));
    for (int peer = 0; peer < ranks_; ++peer)
      if (const auto& block = blocks[at(peer)]; peer != rank_ && !block.empty())
        sends.emplace_back(peer, transport_->post_send(peer, 0, block));
    use(rank_, blocks[at(rank_)].data());
    for (const auto& [peer, request] : receives) {
      wait_for(*transport_, request);
      use(peer, transport_->data(request));
      transport_->release(request);
    }
    for (const auto& [peer, request] : sends) {
      wait_for(*transport_, request);
      transport_->release(request);
    }
  }

  void prepare(const Layout& layout, std::size_t part_bytes) {
    require(item_ > 0, "items of {} bytes cannot be moved: give them one at least", item_);
    require(layout.ranks() == ranks_, "a layout for {} ranks is used by {}", layout.ranks(), ranks_);
    items_ = file_bytes(layout, item_, 0) / item_;
    const auto needed = at(layout.local_size(rank_) * item_);
    require(part_bytes == needed, "rank {} has {} bytes for its part of {} ({} are needed)", rank_, part_bytes,
            layout.text(), needed);
    for (int r = 0; r < ranks_; ++r) runs_.emplace_back(layout, r);
    step_ = std::max<Index>(1, stretch_bytes / item_);
    sorted_ = Array<std::byte>(std::min(step_, items_) * item_);
  }

  Index begin(Index round, int mover) const {
    return std::clamp<Index>((round * ranks_ + mover) * step_ - lead_, 0, items_);
  }
  Slice slice(int owner, Index round, int mover) const {
    const PartRuns& runs = runs_[at(owner)];
    const Index first = runs.items_before(begin(round, mover));
    return {first * item_, (runs.items_before(begin(round, mover + 1)) - first) * item_};
  }

  // Calls copy(in file order, byte of the owner's slice, bytes) for every run that an owner has of this rank's stretch.
  void each_run(Index round, int owner, const auto& copy) const {
    const Index first = begin(round, rank_), skipped = slice(owner, round, rank_).first;
    runs_[at(owner)].visit_range(first, begin(round, rank_ + 1), [&](Index place, Index local, Index items) {
      copy(sorted_.data() + (place - first) * item_, local * item_ - skipped, at(items * item_));
    });
  }

  static constexpr Index stretch_bytes = Index{4} << 20;

  std::unique_ptr<Transport> transport_;  // of our own, so that no message of others is taken for ours
  int rank_, ranks_;
  Index item_;
  Index items_ = 0;
  Index step_ = 1;
  Index lead_;  // items by which the first stretch is shorter, so that stretches end where pages of the file do
  std::vector<PartRuns> runs_;              // of all ranks
  Array<std::byte> sorted_;                 // a stretch in the file's order,
  std::unique_ptr<SharedMemory> by_owner_;  // and owner by owner
};

}  // namespace kallima
