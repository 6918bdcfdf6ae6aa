#pragma once
// Threads of a process that wait for something to do together. The parts of a call are taken by whoever is there first,
// the caller among them, so that nobody waits for a thread that the system has not woken yet. There is one team for
// everybody; who finds it at work does all parts alone, which is right, since the cores are busy.

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>

#include "kallima/types.hpp"

namespace kallima {

class Team {
 public:
  using Part = std::function<void(int part)>;

  static Team& of_this_process();  // a new one after fork(), in which threads do not come along

  void run(int parts, const Part& part);  // returns when all are done; throws what one of them threw

 private:
  void add_member();
  void work(std::uint32_t seen);
  bool take_part(std::uint32_t call);  // false where all are taken, or the call is over
  void do_part(int part) noexcept;

  std::mutex one_call_at_a_time_;
  int members_ = 0;  // besides the caller
  const Part* part_ = nullptr;
  std::atomic<std::uint32_t> call_{0};   // counts them
  std::atomic<std::uint64_t> parts_{0};  // of which call, how many, and how many are taken: seen at one glance
  std::atomic<int> unfinished_{0};
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;  // of the first that failed
};

}  // namespace kallima
