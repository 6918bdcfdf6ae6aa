#pragma once
// Room in the host's memory for pieces of messages on their way from a device to another process of this node: slots in
// memory that the transport shares, pinned by all who see it, so that a neighbour copies a piece to its own device from
// where it lies, and no processor copies anything.

#include <optional>

#include "kallima/transport.hpp"

namespace kallima::cuda {

class StagingRoom {
 public:
  // Few and long: copies of 16 MiB keep both ways of a bus fuller than those of 4, by a twentieth.
  static constexpr std::size_t slot_bytes = std::size_t{16} << 20;
  static constexpr int slots = 2;

  explicit StagingRoom(Transport& host);  // collective; throws on all ranks where a node has too little memory to share
  ~StagingRoom();
  StagingRoom(const StagingRoom&) = delete;
  StagingRoom& operator=(const StagingRoom&) = delete;

  std::optional<int> take();  // none: not yet
  void give_back(int slot) { free_.push_back(slot); }
  std::byte* at_slot(int slot) const { return memory_->bytes().data() + static_cast<std::size_t>(slot) * slot_bytes; }

 private:
  void pin(std::byte* at);
  void pin_neighbours(Transport& host);

  std::unique_ptr<SharedMemory> memory_;
  std::vector<int> free_;
  std::vector<std::byte*> pinned_;
};

}  // namespace kallima::cuda
