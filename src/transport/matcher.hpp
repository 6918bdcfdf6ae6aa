#pragma once
// Which arrival belongs to which receive: the k-th block announced by a peer under a tag goes to the k-th receive
// posted for that peer and tag, whichever of the two is there first. Shared by all transports; one thread only.

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

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
    queue.arrivals.pop_front();
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
    queue.receives.pop_front();
    return request;
  }

 private:
  struct Queue {
    std::deque<Arrival> arrivals;
    std::deque<Request> receives;
  };

  Queue& queue_of(int peer, int tag) {
    const auto high = static_cast<std::uint64_t>(static_cast<std::uint32_t>(peer)) << 32;
    return queues_[high | static_cast<std::uint32_t>(tag)];
  }

  std::unordered_map<std::uint64_t, Queue> queues_;  // kept when empty: the next transform uses the same tags
};

}  // namespace kallima
