#pragma once
// What the ranks of the threads transport share. A send pushes a node onto the receiver's inbox, a lock-free stack that
// the receiver empties in one exchange; giving a block back sets a flag in the same node. Locks and condition
// variables are for ranks that sleep, and every sleep is bounded, so a failure elsewhere is always noticed. Ranks spin
// a little first, where every one has a core.

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "kallima/memory.hpp"
#include "transport/calls.hpp"

namespace kallima {

// The first exception that left a rank's body, or a run in it, who has left without one, and what each has called.
// Every rank that would wait looks here, because what it waits for may never come.
class Failure {
 public:
  explicit Failure(int ranks) : left_(at(ranks)), calls_(at(ranks)), waiting_(at(ranks)) {}
  void record(int rank, Outcome outcome) {
    const std::lock_guard lock(mutex_);
    if (first_.error) return;
    first_ = std::move(outcome);
    rank_ = rank;
    happened_.store(true, std::memory_order_release);
  }
  bool happened() const { return happened_.load(std::memory_order_acquire); }
  void check() const {  // throws Error where another rank failed
    if (happened()) fail("rank {} failed: {}", rank_, first_.text);
  }
  void rethrow() const { first_.rethrow(); }  // the first exception itself, when all ranks are done

  void leave(int rank) {  // after all that it sent and gave back
    left_[at(rank)].store(true, std::memory_order_release);
    int nobody = -1;
    first_left_.compare_exchange_strong(nobody, rank, std::memory_order_acq_rel);
  }
  bool has_left(int rank) const { return left_[at(rank)].load(std::memory_order_acquire); }
  int first_to_leave() const { return first_left_.load(std::memory_order_acquire); }  // -1: all are there
  [[noreturn]] void miss(int rank) const {
    check();
    fail("rank {} has left (its part of run_threads returned) and others wait for it: make the same calls on all ranks",
         rank);
  }

  std::uint64_t announce(int rank, const Call& call) {
    waiting_[at(rank)].store(0, std::memory_order_relaxed);
    return calls_[at(rank)].add(call);
  }
  Call call(int rank, std::uint64_t number) const { return *calls_[at(rank)].at(number); }
  void compare(int rank) {  // by one that has waited for long: throws where another has, too, after another call
    waiting_[at(rank)].store(calls_[at(rank)].made());
    for (std::size_t r = 0; r < calls_.size(); ++r) {
      const std::uint64_t number = std::min(waiting_[at(rank)].load(), waiting_[r].load());
      const auto mine = calls_[at(rank)].at(number), theirs = calls_[r].at(number);
      if (mine && theirs && *mine != *theirs)
        fail("{}", difference(rank, text(*mine), static_cast<int>(r), text(*theirs)));
    }
  }

 private:
  std::mutex mutex_;
  Outcome first_;
  int rank_ = -1;
  std::atomic<bool> happened_ = false;
  std::vector<std::atomic<bool>> left_;
  std::atomic<int> first_left_ = -1;
  std::vector<Calls> calls_;                         // by rank,
  std::vector<std::atomic<std::uint64_t>> waiting_;  // and in which of them it has waited for long; 0: in none
};

// One rank's alarm clock. `events` counts what happened to that rank, so that nothing is missed between looking and
// falling asleep.
class Bell {
 public:
  // Sequentially consistent with sleep(): either the sleeper sees the event or the ringer sees the sleeper.
  void ring() {
    events_.fetch_add(1);
    if (!asleep_.load()) return;
    const std::lock_guard lock(mutex_);
    woken_.notify_one();
  }

  std::uint64_t events() const { return events_.load(std::memory_order_acquire); }
  static constexpr auto nap = std::chrono::milliseconds(1);
  void sleep(std::uint64_t seen) {  // until rung after `seen`, or for a nap
    std::unique_lock lock(mutex_);
    asleep_.store(true);
    if (events_.load() == seen) woken_.wait_for(lock, nap);
    asleep_.store(false);
  }

 private:
  std::atomic<std::uint64_t> events_ = 0;
  std::atomic<bool> asleep_ = false;
  std::mutex mutex_;
  std::condition_variable woken_;
};

// All ranks wait for the last one. Who has left cannot have been among those that wait.
class Meeting {
 public:
  explicit Meeting(int ranks) : ranks_(ranks) {}
  void attend(Failure& failure, int rank, int spins) {
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
    for (int naps = 1; generation_.load(std::memory_order_acquire) == now; ++naps) {
      failure.check();
      if (const int gone = failure.first_to_leave(); gone >= 0) failure.miss(gone);
      if (naps % (long_wait / nap) == 0) failure.compare(rank);
      over_.wait_for(lock, nap);
    }
  }

 private:
  static constexpr auto nap = std::chrono::milliseconds(5);
  const int ranks_;
  std::atomic<int> arrived_ = 0;
  std::atomic<std::uint64_t> generation_ = 0;
  std::mutex mutex_;
  std::condition_variable over_;
};

struct Message {
  const std::byte* data = nullptr;
  int sender = 0, tag = 0;
  Message* next = nullptr;
  std::atomic<bool> released = false;
};

struct alignas(128) Seat {
  std::atomic<Message*> inbox = nullptr;
  alignas(128) Bell bell;
  std::deque<Message> messages;             // this rank's sends; here so that they outlive a rank that failed
  std::vector<Message*> spare;              // those of them not in use
  Call steps[2];                            // in which it meets others,
  std::vector<std::byte> contributions[2];  // and what it gathers; two, so that one meeting per call is enough
};

struct ThreadWorld {
  explicit ThreadWorld(int ranks) : ThreadWorld(ranks, std::make_shared<Failure>(ranks)) {}
  ThreadWorld(int ranks, std::shared_ptr<Failure> trouble)
      : size(ranks), failure(std::move(trouble)), seats(at(ranks)) {}
  void send(int receiver, Message* message) {
    Seat& seat = seats[at(receiver)];
    message->next = seat.inbox.load(std::memory_order_relaxed);
    while (!seat.inbox.compare_exchange_weak(message->next, message, std::memory_order_release,
                                             std::memory_order_relaxed)) {
    }
    seat.bell.ring();
  }

  Message* take_inbox(int rank) {  // oldest first
    Seat& seat = seats[at(rank)];
    if (seat.inbox.load(std::memory_order_relaxed) == nullptr) return nullptr;
    Message* oldest = nullptr;
    for (Message* it = seat.inbox.exchange(nullptr, std::memory_order_acquire); it != nullptr;)  // newest first
      it = std::exchange(it->next, std::exchange(oldest, it));
    return oldest;
  }

  void keep(Array<std::byte> memory) {
    const std::lock_guard lock(mutex_);
    kept_.push_back(std::move(memory));
  }

  const int size;
  // How long to spin before yielding; none where ranks outnumber cores.
  const int spins = static_cast<unsigned>(size) <= std::thread::hardware_concurrency() ? 2000 : 0;
  const std::shared_ptr<Failure> failure;
  Meeting meeting{size};
  std::vector<Seat> seats;
  std::shared_ptr<ThreadWorld> offspring;  // on its way from rank 0 to the others in duplicate()

 private:
  std::mutex mutex_;
  std::vector<Array<std::byte>> kept_;  // memory of failed ranks that others may still be reading
};

}  // namespace kallima
