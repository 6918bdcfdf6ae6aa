#pragma once
// How neighbours on a node tell each other things: one ring of letters for every ordered pair, in the receiver's piece
// of a shared window, with one writer and one reader each. A bell per rank counts letters written to it, so that a
// rank with no mail finds out by reading one word.

#include <atomic>
#include <cstdint>

#include "transport/mpi_window.hpp"

namespace kallima {

struct Letter {
  enum Kind : std::int32_t {
    view,     // a block to be read where it lies
    message,  // a block that follows in pieces by MPI
    returned  // the view of your send `request` was given back
  };
  Kind kind = view;
  std::int32_t tag = 0;
  std::int32_t request = 0;  // the sender's
  std::uint32_t window = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

class Mailroom {
 public:
  Mailroom(std::shared_ptr<NodeWindows> node, std::uint64_t number);  // collective
  Mailroom(const Mailroom&) = delete;
  Mailroom& operator=(const Mailroom&) = delete;
  ~Mailroom();

  bool put(int place, const Letter& letter);  // false: that neighbour's ring is full

  // Calls visit(place, letter) for all that came. The letter is a copy and its room free again, so visit may put().
  template <class Visit>
  void take(Visit visit) {
    const std::uint64_t rung = bell(node_->rank()).load(std::memory_order_acquire);
    if (rung == heard_) return;
    heard_ = rung;
    for (int place = 0; place < node_->size(); ++place) {
      Ring& ring = ring_between(place, node_->rank());
      auto next = ring.taken.load(std::memory_order_relaxed);
      while (next != ring.written.load(std::memory_order_acquire)) {
        const Letter letter = letters(ring)[next % capacity_];
        ring.taken.store(++next, std::memory_order_release);
        visit(place, letter);
      }
    }
  }

 private:
  struct Ring {
    alignas(64) std::atomic<std::uint64_t> written;
    alignas(64) std::atomic<std::uint64_t> taken;
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes cannot share a lock inside an atomic");

  static constexpr std::size_t bell_bytes = 64;
  std::size_t ring_bytes() const {  // a multiple of the alignment, for the next one
    const std::size_t bytes = sizeof(Ring) + capacity_ * sizeof(Letter);
    return (bytes + alignof(Ring) - 1) / alignof(Ring) * alignof(Ring);
  }
  static Letter* letters(Ring& ring) { return reinterpret_cast<Letter*>(&ring + 1); }
  std::byte* base(int place) const { return window_.at[static_cast<std::size_t>(place)]; }
  std::atomic<std::uint64_t>& bell(int place) const {
    return *reinterpret_cast<std::atomic<std::uint64_t>*>(base(place));
  }
  Ring& ring_between(int writer, int reader) const {
    return *reinterpret_cast<Ring*>(base(reader) + bell_bytes + static_cast<std::size_t>(writer) * ring_bytes());
  }

  std::shared_ptr<NodeWindows> node_;
  std::size_t capacity_;
  Window window_;
  std::uint64_t heard_ = 0;
};

}  // namespace kallima
