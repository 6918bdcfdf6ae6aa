#include "cuda/staging_room.hpp"

#include "cuda/cuda_check.cuh"
#include "transport/requests.hpp"

namespace kallima::cuda {

StagingRoom::StagingRoom(Transport& host) : memory_(host.allocate(slots * slot_bytes)) {
  for (int slot = slots; slot-- > 0;) free_.push_back(slot);
  pin(memory_->bytes().data());
  pin_neighbours(host);
}

StagingRoom::~StagingRoom() {
  for (std::byte* const at : pinned_) cudaHostUnregister(at);
}

std::optional<int> StagingRoom::take() {
  if (free_.empty()) return std::nullopt;
  const int slot = free_.back();
  free_.pop_back();
  return slot;
}

// Where that is not possible copies are slower, and right all the same.
void StagingRoom::pin(std::byte* at) {
  if (cudaHostRegister(at, slots * slot_bytes, cudaHostRegisterDefault) == cudaSuccess)
    pinned_.push_back(at);
  else
    cudaGetLastError();
}

// Each rank shows the others all of its room, so that they know where they have it.
void StagingRoom::pin_neighbours(Transport& host) {
  std::vector<Request> shown, seen;
  for (int peer = 0; peer < host.size(); ++peer) {
    if (peer == host.rank() || !host.sees(peer)) continue;
    shown.push_back(host.post_send(peer, 0, memory_->bytes()));
    seen.push_back(host.post_recv(peer, 0, {}));
  }
  for (const Request request : seen) {
    wait_for(host, request);
    pin(const_cast<std::byte*>(host.data(request)));
    host.release(request);
  }
  for (const Request request : shown) {
    wait_for(host, request);
    host.release(request);
  }
}

}  // namespace kallima::cuda
