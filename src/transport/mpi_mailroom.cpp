// Rings hold a few hundred letters between two ranks and fewer where a node has many, so that their number, which grows
// with the square of the ranks, stays a matter of megabytes.

#include "transport/mpi_mailroom.hpp"

#include <algorithm>
#include <utility>

namespace kallima {

Mailroom::Mailroom(std::shared_ptr<NodeWindows> node, std::uint64_t number)
    : node_(std::move(node)),
      capacity_(static_cast<std::size_t>(std::clamp(1024 / node_->size(), 16, 256))),
      window_(node_->open(bell_bytes + static_cast<std::size_t>(node_->size()) * ring_bytes(), number)) {}

Mailroom::~Mailroom() { node_->close(window_); }

bool Mailroom::put(int place, const Letter& letter) {
  Ring& ring = ring_between(node_->rank(), place);
  const auto next = ring.written.load(std::memory_order_relaxed);
  if (next - ring.taken.load(std::memory_order_acquire) == capacity_) return false;
  letters(ring)[next % capacity_] = letter;
  ring.written.store(next + 1, std::memory_order_release);
  bell(place).fetch_add(1, std::memory_order_release);
  return true;
}

}  // namespace kallima
