#pragma once
// Threads of a process that wait for something to do together. A call is over when all its parts are. There is one team
// for everybody; who finds it at work does all parts alone, which is right, since the cores are busy.

#include <atomic>
#include <functional>
#include <mutex>

#include "kallima/types.hpp"

namespace kallima {

class Team {
 public:
  using Part = std::function<void(int part)>;

  static Team& of_this_process();  // a new one after fork(), in which threads do not come along

  void run(int parts, const Part& part);

 private:
  void add_member();
  void work(int member, std::uint32_t seen);
  void do_part(int part) noexcept;

  std::mutex one_call_at_a_time_;
  int members_ = 0;  // besides the caller
  const Part* part_ = nullptr;
  std::atomic<std::uint32_t> call_{0};  // its number, and how many parts it has: seen by members at one glance
  std::atomic<int> unfinished_{0};
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;  // of the first that failed
};

}  // namespace kallima
