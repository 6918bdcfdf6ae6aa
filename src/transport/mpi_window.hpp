#pragma once
// The ranks of one node and the memory they share. Every window is known by a number that is the same on all of them,
// since windows are made collectively; a number and an offset then say to a neighbour where a block lies, whatever
// address each of them has it at.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "kallima/transport.hpp"
#include "transport/mpi_check.hpp"
#include "transport/mpi_left.hpp"

namespace kallima {

// One MPI shared window; `at[r]` is where node rank r's piece begins here.
struct Window {
  MPI_Win handle = MPI_WIN_NULL;
  std::vector<std::byte*> at = {};
  std::uint64_t number = 0;  // among what the ranks of the whole communicator hold
};

class NodeWindows {
 public:
  NodeWindows(MPI_Comm comm, bool shared_windows);
  NodeWindows(const NodeWindows&) = delete;
  NodeWindows& operator=(const NodeWindows&) = delete;
  ~NodeWindows() { leave_comm(crowd_, next_number(), comm_); }

  int rank() const { return rank_; }
  int size() const { return size_; }                                               // 0 where nothing is shared
  int place_of(int rank) const { return place_[static_cast<std::size_t>(rank)]; }  // on this node; -1: elsewhere
  int rank_at(int place) const { return rank_at_[static_cast<std::size_t>(place)]; }
  bool crowded() const { return crowded_; }  // more ranks than cores

  const Crowd& crowd() const { return crowd_; }       // all ranks of the communicator
  std::uint64_t next_number() { return numbers_++; }  // taken by all of them alike

  // Collective on the node; this rank's piece is zeroed. Where it fails, what there is of it is left.
  Window open(std::size_t bytes, std::uint64_t number);
  void close(const Window& window) { leave_window(crowd_, window.number, window.handle); }

  // Throws on the first rank of a node where not all of it (bytes, by rank) fits: some MPI libraries would hang over
  // it.
  void check_space(const std::vector<std::size_t>& bytes) const;

  struct Location {
    std::uint32_t window = 0;
    std::uint64_t offset = 0;
  };
  std::uint32_t enter(std::span<std::byte> mine, const std::vector<std::byte*>& at);
  void remove(std::uint32_t window);
  std::optional<Location> find(std::span<const std::byte> block) const;
  const std::byte* address(int place, Location what) const;

 private:
  struct Known {
    std::span<std::byte> mine;
    std::vector<std::byte*> at;
  };

  Crowd crowd_;
  std::uint64_t numbers_ = 0;
  MPI_Comm comm_;
  int rank_ = -1;
  int size_ = 0;
  bool crowded_ = false;
  std::vector<int> place_;
  std::vector<int> rank_at_;
  std::uint32_t next_ = 0;
  mutable std::mutex mutex_;  // of known_: transports share a NodeWindows, and each may have a thread
  std::map<std::uint32_t, Known> known_;
};

// Memory that neighbours on the node can see, or plain memory where there are none. A number is taken on every rank.
std::unique_ptr<SharedMemory> allocate_on(const std::shared_ptr<NodeWindows>& node, std::size_t bytes, std::uint64_t number);

}  // namespace kallima
