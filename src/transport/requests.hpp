#pragma once
// What all transports need to keep track of requests: a table of them, who belongs to whom among arrivals and receives,
// and the check and the wait that are the same everywhere. One thread only.

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/check.hpp"
#include "kallima/transport.hpp"

namespace kallima {

inline void check_peer(const Transport& transport, int peer) {
  require(peer >= 0 && peer < transport.size(), "there is no rank {} to exchange with (there are {} ranks)", peer,
          transport.size());
}

inline void wait_for(Transport& transport, Request request) {
  while (!transport.test(request)) transport.idle();
}

// Requests are indices into a table whose rows are used again once released. Rows live in a deque, so a reference to
// one stays good while others come and go.
template <class Row>
class RequestTable {
 public:
  Request add(const Row& row) {
    if (free_.empty()) reserve(rows_.size() + 1);
    const Request request = free_.back();
    free_.pop_back();
    rows_[static_cast<std::size_t>(request)] = {row, true};
    return request;
  }

  // Makes room for so many at once.
  void reserve(std::size_t count) {
    free_.reserve(count);
    while (rows_.size() < count) {
      rows_.push_back({});
      free_.push_back(static_cast<Request>(rows_.size() - 1));
    }
  }

  Row& at(Request request) { return entry(request).row; }
  const Row& at(Request request) const { return const_cast<RequestTable*>(this)->entry(request).row; }

  void remove(Request request) {
    entry(request).used = false;
    free_.push_back(request);
  }

 private:
  struct Entry {
    Row row = {};
    bool used = false;
  };

  Entry& entry(Request request) {
    const auto i = static_cast<std::size_t>(request);
    require(request >= 0 && i < rows_.size() && rows_[i].used,
            "request {} is not one of this transport's ({} are known)", request, rows_.size());
    return rows_[i];
  }

  std::deque<Entry> rows_;
  std::vector<Request> free_;
};

// The k-th block announced by a peer under a tag goes to the k-th receive posted for that peer and tag, whichever of
// the two is there first. Few wait at a time, in lists that keep their memory.
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
