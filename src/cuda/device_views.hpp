#pragma once
// Memory of a device that other processes of the node have, too: each rank's is opened by all that share its node (CUDA
// IPC), on the same device or on one that has access to it, and a block of it is then read where it stands. The
// transport below passes the views. Whether that works is tried once, by all ranks: some systems keep processes apart.

#include <map>

#include "kallima/transport.hpp"

namespace kallima::cuda {

class DeviceViews {
 public:
  explicit DeviceViews(Transport& host);  // collective; of the current device

  bool sees(int peer) const { return works_ && host_.sees(peer); }
  bool any() const { return works_; }

  // Zeroed. Collective.
  std::unique_ptr<SharedMemory> allocate(std::size_t bytes);
  bool holds(std::span<const std::byte> block) const;  // others see it

 private:
  using Memory = std::shared_ptr<std::byte>;
  class Shown;

  std::vector<Memory> opened(const Memory& mine) const;  // by rank, those that are seen; collective
  int tried();

  Transport& host_;
  bool works_ = false;
  std::shared_ptr<std::map<const std::byte*, std::size_t>> shown_;  // what others see of ours: begin and bytes
};

}  // namespace kallima::cuda
