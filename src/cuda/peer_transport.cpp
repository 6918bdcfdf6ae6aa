#include "cuda/peer_transport.hpp"

#include <algorithm>

#include "transport/host.hpp"

namespace kallima::cuda {
namespace {

bool may_read(int device, int other) {
  int yes = 0;
  return cudaDeviceCanAccessPeer(&yes, device, other) == cudaSuccess && yes != 0;
}

// By the current device.
bool opened(int other) {
  const cudaError_t code = cudaDeviceEnablePeerAccess(other, 0);
  if (code != cudaSuccess) cudaGetLastError();
  return code == cudaSuccess || code == cudaErrorPeerAccessAlreadyEnabled;
}

}  // namespace

// Who sees whom must fall into groups: all of them or, where two devices are strangers, those of one device each.
PeerTransport::PeerTransport(std::unique_ptr<Transport> inner, int device)
    : DeviceTransport(std::move(inner), device), reads_(at(size())) {
  const std::vector<int> devices = gathered(*inner_, device_);
  const auto opens = [&](int other) {
    return other == device_ || (may_read(device_, other) && may_read(other, device_) && opened(other));
  };
  const std::vector<char> all = gathered(*inner_, static_cast<char>(std::ranges::all_of(devices, opens)));
  const bool everyone = std::ranges::count(all, char{1}) == std::ssize(all);
  // Off: as if no rank's device gave access to it, for trying messages where there is but one device.
  const bool alone = environment("KALLIMA_CUDA_PEERS") == "off";
  for (std::size_t peer = 0; peer < devices.size(); ++peer)
    reads_[peer] = peer == at(rank()) || (!alone && (everyone || devices[peer] == device_));
}

}  // namespace kallima::cuda
