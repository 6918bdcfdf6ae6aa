#pragma once
// What the ranks of the threads transport share. A send pushes a node onto the receiver's inbox, a lock-free stack that
// the receiver empties in one exchange; giving a block back sets a flag in the same node. Locks and condition
// variables are for ranks that sleep, and every sleep is bounded, so a failure elsewhere is always noticed.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kallima/memory.hpp"

namespace kallima {

// The first exception that left a rank's body. Every rank that would wait looks here, because what it waits for may
// never come.
class Failure {
 public:
  void record(std::exception_ptr error, const std::string& text);
  void check() const;  // throws Error where another rank failed
  bool happened() const { return happened_.load(std::memory_order_acquire); }
  void rethrow() const;  // the first exception itself, where there is one

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
  std::string text_;
  std::atomic<bool> happened_ = false;
};

// One rank's alarm clock. `events` counts what happened to that rank, so that nothing is missed between looking and
// falling asleep.
class Bell {
 public:
  void ring();
  std::uint64_t events() const { return events_.load(std::memory_order_acquire); }
  void sleep(std::uint64_t seen);  // until rung after `seen`, or for about a millisecond

 private:
  std::atomic<std::uint64_t> events_ = 0;
  std::atomic<bool> asleep_ = false;
  std::mutex mutex_;
  std::condition_variable woken_;
};

// All ranks wait for the last one.
class Meeting {
 public:
  explicit Meeting(int ranks) : ranks_(ranks) {}
  void attend(const Failure& failure, int spins);

 private:
  const int ranks_;
  std::atomic<int> arrived_ = 0;
  std::atomic<std::uint64_t> generation_ = 0;
  std::mutex mutex_;
  std::condition_variable over_;
};

struct Message {
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
  int sender = 0;
  int tag = 0;
  Message* next = nullptr;
  std::atomic<bool> released = false;
};

struct alignas(128) Seat {
  std::atomic<Message*> inbox = nullptr;
  alignas(128) Bell bell;
  std::deque<Message> messages;             // this rank's sends; here so that they outlive a rank that failed
  std::vector<Message*> spare;              // those of them not in use
  std::vector<std::byte> contributions[2];  // to gather(); two, so that one meeting per call is enough
};

struct ThreadWorld {
  ThreadWorld(int ranks, std::shared_ptr<Failure> trouble);
  void send(int receiver, Message* message);
  Message* take_inbox(int rank);  // oldest first
  void keep(Array<std::byte> memory);

  const int size;
  const int spins;  // how long to spin before yielding; none where ranks outnumber cores
  const std::shared_ptr<Failure> failure;
  Meeting meeting;
  std::vector<Seat> seats;
  std::shared_ptr<ThreadWorld> offspring;  // on its way from rank 0 to the others in duplicate()

 private:
  std::mutex mutex_;
  std::vector<Array<std::byte>> kept_;  // memory of failed ranks that others may still be reading
};

}  // namespace kallima
