#pragma once
// Where a rank's messages stand while they are encoded: each has a place of its own from its start to its finish, since
// which of them are under way at once is only known when they are. Empty where messages are sent as they are.

#include <vector>

#include "kallima/schedule.hpp"
#include "kallima/wire.hpp"
#include "kernel/wire_errors.hpp"

namespace kallima {

// What messages were, added up by the rank that sent them.
struct WireTally {
  Index transforms = 0;
  Index bytes_plain = 0;
  Index bytes_sent = 0;
  kernel::WireErrors errors = {};
  void count(Index plain, Index sent) {
    bytes_plain += plain;
    bytes_sent += sent;
  }
};

class WireRoom {
 public:
  WireRoom() = default;
  WireRoom(const RankSchedule& schedule, const Wire& wire, std::size_t real_bytes);

  struct Place {
    std::size_t offset = 0;
    std::size_t bytes = 0;
  };
  const Place& place(int start) const { return places_[static_cast<std::size_t>(start)]; }
  Index elements_sent(int start) const;  // how many it would be if they were as long as usual, rounded up
  std::size_t sending() const { return sending_; }
  std::size_t receiving() const { return receiving_; }

 private:
  std::vector<Place> places_;  // by start task; sends and receives each have a room
  std::size_t element_bytes_ = 0;
  std::size_t sending_ = 0;
  std::size_t receiving_ = 0;
};

inline Index reals_in(const Range& range) { return range.real ? range.count : 2 * range.count; }

}  // namespace kallima
