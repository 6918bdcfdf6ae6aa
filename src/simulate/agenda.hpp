#pragma once
// When each rank is to be looked at next: a heap of ranks by (time, turn, rank), in which a rank's time can change. The
// turn orders what happens at one instant: 0 where tasks end and messages leave, 1 where messages are taken, 2 where
// tasks begin.

#include <limits>
#include <vector>

namespace kallima {

inline constexpr double never = std::numeric_limits<double>::infinity();

class Agenda {
 public:
  struct Entry {
    double time = never;
    int turn = 0;
    int rank = 0;
    bool operator<(const Entry& other) const {
      if (time != other.time) return time < other.time;
      return turn != other.turn ? turn < other.turn : rank < other.rank;
    }
  };

  explicit Agenda(int ranks) : position_(static_cast<std::size_t>(ranks), absent) {}

  bool empty() const { return heap_.empty(); }
  double earliest() const { return heap_.empty() ? never : heap_.front().time; }

  Entry pop() {
    const Entry top = heap_.front();
    position_[index(top.rank)] = absent;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(0, last);
    return top;
  }

  // Unless the rank is to be looked at before that anyway.
  void no_later_than(int rank, double time, int turn = 0) {
    const Entry entry{time, turn, rank};
    std::size_t at = position_[index(rank)];
    if (at == absent) {
      at = heap_.size();
      heap_.push_back(entry);
    } else if (!(entry < heap_[at])) {
      return;
    }
    rise(at, entry);
  }

 private:
  static constexpr std::size_t absent = ~std::size_t{0};
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

  void put(std::size_t at, const Entry& entry) {
    heap_[at] = entry;
    position_[index(entry.rank)] = at;
  }

  void rise(std::size_t at, const Entry& entry) {
    while (at > 0) {
      const std::size_t parent = (at - 1) / 4;
      if (!(entry < heap_[parent])) break;
      put(at, heap_[parent]);
      at = parent;
    }
    put(at, entry);
  }

  void sink(std::size_t at, const Entry& entry) {
    for (;;) {
      const std::size_t first = 4 * at + 1;
      if (first >= heap_.size()) break;
      std::size_t least = first;
      for (std::size_t child = first + 1; child < heap_.size() && child < first + 4; ++child)
        if (heap_[child] < heap_[least]) least = child;
      if (!(heap_[least] < entry)) break;
      put(at, heap_[least]);
      at = least;
    }
    put(at, entry);
  }

  std::vector<Entry> heap_;
  std::vector<std::size_t> position_;
};

}  // namespace kallima
