// Nothing is ever copied among threads: a receive is given a view of the sender's own block, and the sender may go on
// once the view was given back.

#include "transport/thread_transport.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>

namespace kallima {
namespace {

// While a rank unwinds, others may still be reading its memory: the world then keeps it until all have ended.
class ThreadMemory final : public SharedMemory {
 public:
  ThreadMemory(std::shared_ptr<ThreadWorld> world, Array<std::byte> memory)
      : world_(std::move(world)), memory_(std::move(memory)) {}
  ~ThreadMemory() override {
    const bool trouble = std::uncaught_exceptions() > 0 || world_->failure->happened();
    if (trouble && world_->size > 1) world_->keep(std::move(memory_));
  }
  std::span<std::byte> bytes() override { return memory_.span(); }

 private:
  std::shared_ptr<ThreadWorld> world_;
  Array<std::byte> memory_;
};

}  // namespace

Message* ThreadTransport::blank_message() {
  if (seat_.spare.empty()) return &seat_.messages.emplace_back();
  Message* message = seat_.spare.back();
  seat_.spare.pop_back();
  message->released.store(false, std::memory_order_relaxed);
  return message;
}

void ThreadTransport::reserve(std::size_t requests) {
  requests_.reserve(requests);
  seat_.spare.reserve(requests);
  while (seat_.messages.size() < requests) seat_.spare.push_back(&seat_.messages.emplace_back());
}

Request ThreadTransport::post_send(int peer, int tag, std::span<const std::byte> block) {
  check_peer(peer);
  Message* message = blank_message();
  message->data = block.data();
  message->bytes = block.size();
  message->sender = rank_;
  message->tag = tag;
  world_->send(peer, message);
  idle_rounds_ = 0;
  return requests_.add({true, message});
}

Request ThreadTransport::post_recv(int peer, int tag, std::span<std::byte>) {
  check_peer(peer);
  const Request request = requests_.add({false, nullptr});
  requests_.at(request).message = matcher_.receive(peer, tag, request).value_or(nullptr);
  idle_rounds_ = 0;
  return request;
}

void ThreadTransport::take_inbox() {
  for (Message* message = world_->take_inbox(rank_); message != nullptr;) {
    Message* next = message->next;
    const auto request = matcher_.arrive(message->sender, message->tag, message);
    if (request) requests_.at(*request).message = message;
    message = next;
  }
}

bool ThreadTransport::test(Request request) {
  const Row& row = requests_.at(request);
  if (!row.is_send && row.message == nullptr) take_inbox();
  if (row.is_send ? row.message->released.load(std::memory_order_acquire) : row.message != nullptr) return true;
  world_->failure->check();
  return false;
}

const std::byte* ThreadTransport::data(Request received) const {
  const Row& row = requests_.at(received);
  require(!row.is_send && row.message != nullptr, "request {} has no data (it is no finished receive)", received);
  return row.message->data;
}

void ThreadTransport::release(Request request) {
  const Row row = requests_.at(request);
  if (row.is_send) {
    require(row.message->released.load(std::memory_order_acquire), "send {} is released before it is over", request);
    seat_.spare.push_back(row.message);
  } else {
    require(row.message != nullptr, "receive {} is released before it is over", request);
    const auto sender = static_cast<std::size_t>(row.message->sender);
    row.message->released.store(true, std::memory_order_release);  // from here on the node is the sender's again
    world_->seats[sender].bell.ring();
  }
  requests_.remove(request);
}

void ThreadTransport::idle() {
  world_->failure->check();
  const auto events = seat_.bell.events();
  if (events != events_seen_) {
    events_seen_ = events;
    idle_rounds_ = 0;
    return;
  }
  ++idle_rounds_;
  const int spins = world_->spins / 4;
  if (idle_rounds_ <= spins) return;
  if (idle_rounds_ <= spins + 50) return std::this_thread::yield();
  seat_.bell.sleep(events_seen_);
}

std::unique_ptr<SharedMemory> ThreadTransport::allocate(std::size_t bytes) {
  std::unique_ptr<SharedMemory> memory;
  together(*this,
           [&] { memory = std::make_unique<ThreadMemory>(world_, Array<std::byte>(static_cast<Index>(bytes))); });
  return memory;
}

std::unique_ptr<Transport> ThreadTransport::duplicate() {
  if (rank_ == 0) world_->offspring = std::make_shared<ThreadWorld>(size(), world_->failure);
  barrier();
  auto copy = std::make_unique<ThreadTransport>(world_->offspring, rank_);
  barrier();
  if (rank_ == 0) world_->offspring.reset();
  return copy;
}

void ThreadTransport::gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  const std::size_t turn = gathers_++ % 2;
  seat_.contributions[turn].assign(mine.begin(), mine.end());
  barrier();
  for (const Seat& seat : world_->seats)
    require(seat.contributions[turn].size() * world_->seats.size() == all.size(),
            "cannot gather {} bytes from each of {} ranks into {} bytes", seat.contributions[turn].size(), size(),
            all.size());
  std::byte* to = all.data();
  for (const Seat& seat : world_->seats)
    to = std::copy(seat.contributions[turn].begin(), seat.contributions[turn].end(), to);
}

void ThreadTransport::abort(const std::string& why) noexcept {
  std::fprintf(stderr, "kallima: rank %d: %s\n", rank_, why.c_str());
  std::fflush(nullptr);
  std::_Exit(1);
}

}  // namespace kallima
