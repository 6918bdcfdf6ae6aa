// Waiting among threads: spin a little where every rank has a core, then sleep for bounded times.

#include "transport/thread_world.hpp"

#include <chrono>
#include <thread>

#include "base/check.hpp"

namespace kallima {

using namespace std::chrono_literals;

void Failure::record(std::exception_ptr error, const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (first_) return;
  first_ = std::move(error);
  text_ = text;
  happened_.store(true, std::memory_order_release);
}

void Failure::check() const {
  if (happened()) fail("another rank failed: {}", text_);
}

void Failure::rethrow() const {
  if (happened()) std::rethrow_exception(first_);
}

// Sequentially consistent with sleep(): either the sleeper sees the event or the ringer sees the sleeper.
void Bell::ring() {
  events_.fetch_add(1);
  if (!asleep_.load()) return;
  const std::lock_guard lock(mutex_);
  woken_.notify_one();
}

void Bell::sleep(std::uint64_t seen) {
  std::unique_lock lock(mutex_);
  asleep_.store(true);
  if (events_.load() == seen) woken_.wait_for(lock, 1ms);
  asleep_.store(false);
}

void Meeting::attend(const Failure& failure, int spins) {
  const auto now = generation_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == ranks_) {
    arrived_.store(0, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    generation_.store(now + 1, std::memory_order_release);
    over_.notify_all();
    return;
  }
  for (int i = 0; i < spins; ++i)
    if (generation_.load(std::memory_order_acquire) != now) return;
  std::unique_lock lock(mutex_);
  while (generation_.load(std::memory_order_acquire) == now) {
    failure.check();
    over_.wait_for(lock, 5ms);
  }
}

ThreadWorld::ThreadWorld(int ranks, std::shared_ptr<Failure> trouble)
    : size(ranks),
      spins(static_cast<unsigned>(ranks) <= std::thread::hardware_concurrency() ? 2000 : 0),
      failure(std::move(trouble)),
      meeting(ranks),
      seats(static_cast<std::size_t>(ranks)) {}

void ThreadWorld::send(int receiver, Message* message) {
  Seat& seat = seats[static_cast<std::size_t>(receiver)];
  message->next = seat.inbox.load(std::memory_order_relaxed);
  while (
      !seat.inbox.compare_exchange_weak(message->next, message, std::memory_order_release, std::memory_order_relaxed)) {
  }
  seat.bell.ring();
}

Message* ThreadWorld::take_inbox(int rank) {
  Seat& seat = seats[static_cast<std::size_t>(rank)];
  if (seat.inbox.load(std::memory_order_relaxed) == nullptr) return nullptr;
  Message* newest_first = seat.inbox.exchange(nullptr, std::memory_order_acquire);
  Message* oldest_first = nullptr;
  while (newest_first != nullptr) {
    Message* message = newest_first;
    newest_first = message->next;
    message->next = oldest_first;
    oldest_first = message;
  }
  return oldest_first;
}

void ThreadWorld::keep(Array<std::byte> memory) {
  const std::lock_guard lock(mutex_);
  kept_.push_back(std::move(memory));
}

}  // namespace kallima
