#pragma once
// Ranks of one process read each other's blocks by their addresses: on one device, or on several that all
// give each other access to their memory, which is asked for once by all ranks. Other blocks are messages, and who
// receives one copies it from where it stands, which CUDA does between any two devices.

#include "cuda/device_transport.cuh"

namespace kallima::cuda {

class PeerTransport final : public DeviceTransport {
 public:
  PeerTransport(std::unique_ptr<Transport> inner, int device);  // collective

  bool sees(int peer) const override { return reads_[at(peer)]; }
  std::unique_ptr<Transport> duplicate() override {
    return std::make_unique<PeerTransport>(inner_->duplicate(), device_);
  }

 private:
  std::vector<bool> reads_;  // by rank
};

}  // namespace kallima::cuda
