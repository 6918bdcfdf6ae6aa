#pragma once
// How neighbours on a node tell each other things: a ring of notices for every ordered pair, in the receiver's piece of
// a shared window, with one writer and one reader each. A doorbell per rank counts notices written to it, so that a
// rank that has none finds out by reading one word. Rings hold a few hundred notices between two ranks and fewer where
// a node has many, so that their number, which grows with the square of the ranks, stays a matter of megabytes.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <utility>

#include "transport/mpi_window.hpp"

namespace kallima {

struct Notice {
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

class NoticeQueues {
 public:
  // Collective.
  NoticeQueues(std::shared_ptr<NodeWindows> node, std::uint32_t number)
      : node_(std::move(node)),
        capacity_(capacity(node_->size())),
        window_(node_->open(bytes(node_->size()), number)),
        held_back_(at(node_->size())) {}
  ~NoticeQueues() { node_->close(window_); }

  static std::size_t bytes(int ranks) { return doorbell_bytes + at(ranks) * ring_bytes(capacity(ranks)); }  // of each

  // Where the neighbour's ring is full, the notice is held back until a drain() finds room.
  void push(int neighbour, const Notice& notice) {
    auto& queue = held_back_[at(neighbour)];
    if (queue.empty() && try_push(neighbour, notice)) return;
    queue.push_back(notice);
    ++held_back_count_;
  }

  bool try_push(int neighbour, const Notice& notice) {  // false: the ring is full
    Ring& ring = ring_between(node_->rank(), neighbour);
    const auto next = ring.written.load(std::memory_order_relaxed);
    if (next - ring.taken.load(std::memory_order_acquire) == capacity_) return false;
    notices(ring)[next % capacity_] = notice;
    ring.written.store(next + 1, std::memory_order_release);
    doorbell(neighbour).fetch_add(1, std::memory_order_release);
    return true;
  }

  // Calls visit(neighbour, notice) for all that came. The notice is a copy and its room free again, so visit may
  // push().
  template <class Visit>
  void drain(const Visit& visit) {
    const std::uint64_t rung = doorbell(node_->rank()).load(std::memory_order_acquire);
    if (std::exchange(heard_, rung) != rung) drain_rings(visit);
    for (int neighbour = 0; held_back_count_ > 0 && neighbour < node_->size(); ++neighbour) {
      auto& queue = held_back_[at(neighbour)];
      for (; !queue.empty() && try_push(neighbour, queue.front()); --held_back_count_) queue.pop_front();
    }
  }

 private:
  template <class Visit>
  void drain_rings(const Visit& visit) {
    for (int neighbour = 0; neighbour < node_->size(); ++neighbour) {
      Ring& ring = ring_between(neighbour, node_->rank());
      auto next = ring.taken.load(std::memory_order_relaxed);
      while (next != ring.written.load(std::memory_order_acquire)) {
        const Notice notice = notices(ring)[next % capacity_];
        ring.taken.store(++next, std::memory_order_release);
        visit(neighbour, notice);
      }
    }
  }

  struct Ring {
    alignas(64) std::atomic<std::uint64_t> written;
    alignas(64) std::atomic<std::uint64_t> taken;
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes cannot share a lock inside an atomic");

  static constexpr std::size_t doorbell_bytes = 64;
  static std::size_t capacity(int ranks) { return at(std::clamp(1024 / std::max(ranks, 1), 16, 256)); }
  static std::size_t ring_bytes(std::size_t capacity) {  // a multiple of the alignment, for the next one
    const std::size_t bytes = sizeof(Ring) + capacity * sizeof(Notice);
    return (bytes + alignof(Ring) - 1) / alignof(Ring) * alignof(Ring);
  }
  static Notice* notices(Ring& ring) { return reinterpret_cast<Notice*>(&ring + 1); }
  std::byte* base(int neighbour) const { return window_.at[at(neighbour)]; }
  std::atomic<std::uint64_t>& doorbell(int neighbour) const {
    return *reinterpret_cast<std::atomic<std::uint64_t>*>(base(neighbour));
  }
  Ring& ring_between(int writer, int reader) const {
    return *reinterpret_cast<Ring*>(base(reader) + doorbell_bytes + at(writer) * ring_bytes(capacity_));
  }

  std::shared_ptr<NodeWindows> node_;
  std::size_t capacity_;
  Window window_;
  std::vector<std::deque<Notice>> held_back_;  // by neighbour
  int held_back_count_ = 0;
  std::uint64_t heard_ = 0;
};

}  // namespace kallima
