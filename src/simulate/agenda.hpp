#pragma once
// When each rank is to be looked at next: a queue of ranks by (time, turn, rank), in which a rank's time can become
// earlier: what was entered for it before is then passed over. The turn orders what happens at one instant: 0 where
// tasks end and messages leave, 1 where messages are taken, 2 where tasks begin.

#include <compare>
#include <limits>

#include "base/smallest.hpp"

namespace kallima {

inline constexpr double never = std::numeric_limits<double>::infinity();

class Agenda {
 public:
  struct Entry {
    double time = never;
    int turn = 3;  // after all others
    int rank = 0;
    auto operator<=>(const Entry&) const = default;
  };

  explicit Agenda(int ranks) : next_(static_cast<std::size_t>(ranks)) {}

  bool empty() const { return queue_.empty(); }
  double earliest() const { return queue_.empty() ? never : queue_.top().time; }

  Entry pop() {
    const Entry top = queue_.pop();
    next_of(top) = {};
    while (!queue_.empty() && next_of(queue_.top()) != queue_.top()) queue_.pop();
    return top;
  }

  // Unless the rank is to be looked at before that anyway.
  void no_later_than(int rank, double time, int turn = 0) {
    const Entry entry{time, turn, rank};
    if (!(entry < next_of(entry))) return;
    next_of(entry) = entry;
    queue_.push(entry);
  }

 private:
  Entry& next_of(const Entry& entry) { return next_[static_cast<std::size_t>(entry.rank)]; }

  Smallest<Entry> queue_;    // begins with what is some rank's next
  std::vector<Entry> next_;  // by rank
};

}  // namespace kallima
