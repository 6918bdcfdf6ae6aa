#pragma once
// Which arrival belongs to which receive: the k-th block announced by a peer under a tag goes to the k-th receive
// posted for that peer and tag, whichever of the two is there first. Shared by all transports; one thread only. Few wait
// at a time, in lists that keep their memory.

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "kallima/transport.hpp"

namespace kallima {

template <class Arrival>
class Matcher {
 public:
  // The arrival that was waiting for this receive; nothing: the receive waits.
  std::optional<Arrival> receive(int peer, int tag, Request request) {
    Queue& queue = queue_of(peer, tag);
    if (queue.arrivals.empty()) {
      queue.receives.push_back(request);
      return std::nullopt;
    }
    Arrival arrival = queue.arrivals.front();
    queue.arrivals.erase(queue.arrivals.begin());
    return arrival;
  }

  // The receive that was waiting for this arrival; nothing: the arrival waits.
  std::optional<Request> arrive(int peer, int tag, const Arrival& arrival) {
    Queue& queue = queue_of(peer, tag);
    if (queue.receives.empty()) {
      queue.arrivals.push_back(arrival);
      return std::nullopt;
    }
    const Request request = queue.receives.front();
    queue.receives.erase(queue.receives.begin());
    return request;
  }

 private:
  static constexpr std::size_t usual = 4;  // that wait at most, where ranks run a few transforms ahead of each other

  struct Queue {
    std::vector<Arrival> arrivals;
    std::vector<Request> receives;
  };

  Queue& queue_of(int peer, int tag) {
    const auto high = static_cast<std::uint64_t>(static_cast<std::uint32_t>(peer)) << 32;
    const auto [it, is_new] = queues_.try_emplace(high | static_cast<std::uint32_t>(tag));
    if (is_new) {
      it->second.arrivals.reserve(usual);
      it->second.receives.reserve(usual);
    }
    return it->second;
  }

  std::unordered_map<std::uint64_t, Queue> queues_;  // kept when empty: the next transform uses the same tags
};

}  // namespace kallima
