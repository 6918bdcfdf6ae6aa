#pragma once
// Runs a compiled schedule on a transport. Posts go out as soon as they may, finished messages are noticed between
// tasks, and among the tasks that can run the one with the lowest number does; only when none can does the rank wait.
// An Execution is one such run that can be left and taken up again, so that several go through one transport at once.

#include <chrono>
#include <cstddef>
#include <functional>
#include <queue>

#include "execute/looks.hpp"
#include "execute/program.hpp"
#include "execute/wire_room.hpp"
#include "kallima/trace.hpp"
#include "kallima/transport.hpp"

namespace kallima {

// The memory of one run: the caller's arrays and the rank's own.
template <class T>
struct Workspace {
  std::array<std::complex<T>*, 4> buffers{};
  std::span<std::complex<T>> tile;
  std::span<std::byte> sending = {};  // encoded messages, where these are not sent as they are
  std::span<std::byte> receiving = {};
};

template <class T>
struct RunOptions {
  T scale = 1;
  Only part = Only::everything;
  int number = 0;  // of this run among those that are under way at once
  int tags = 0;    // that each of them may use
  const kernel::Apply<T>* apply = nullptr;
  Trace* trace = nullptr;  // its times are those of a steady clock
  Wire wire = {};
  WireTally* tally = nullptr;  // of what the wire did; null where nobody asks
};

template <class T>
class Execution {
 public:
  Execution(const Program<T>& program, Transport& transport, const Workspace<T>& workspace,
            const RunOptions<T>& options);
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  bool over() const { return done_ == tasks_.size(); }  // every message is finished, too
  bool exchange();                                      // posts and notices what it can; true if anything happened
  bool can_compute() const { return !computable_.empty(); }
  bool can_feed() const;  // the next computation is one that a message waits for
  void compute();         // one task
  void rest();            // nothing to do
  void stop_waiting();    // another run has something to do

 private:
  using Lowest = std::priority_queue<int, std::vector<int>, std::greater<>>;
  using Clock = std::chrono::steady_clock;

  const Task& task(int id) const { return tasks_[static_cast<std::size_t>(id)]; }
  Request& request_of(int start) { return requests_[static_cast<std::size_t>(start)]; }
  std::span<std::byte> bytes(const Range& range) const;
  void make_ready(int id);
  void complete(int id);
  bool post_all();
  void post(int id);
  bool poll();
  void finish(int id);

  bool encodes() const { return options_.wire.format != Wire::Format::same && options_.part != Only::computation; }
  void encode(int id);
  void decode(int id);
  std::span<std::byte> encoded(int start) const;
  std::span<T> reals(const Range& range) const;
  void note_copy(int id, const char* what, double begin);

  kernel::Progress progress_between(ProgressBy who);
  void poll_in_between();
  double clock() const;
  Event* note(int id, double begin, double end);  // null where nothing is recorded

  const Program<T>& program_;
  const std::vector<Task>& tasks_;
  Transport& transport_;
  const Workspace<T> workspace_;
  const RunOptions<T> options_;
  const Clock::duration poll_every_;
  WireRoom room_;
  kernel::Memory<T> memory_;
  std::vector<int> unmet_;
  std::vector<Request> requests_;  // by start task
  std::vector<int> unread_;        // readers left, by recv_finish task
  kernel::Progress progress_;
  Clock::time_point polled_ = {};
  Looks looks_;  // of the computation that runs, where they are recorded
  Lowest posts_;
  Lowest computable_;
  std::vector<int> pending_;
  std::size_t done_ = 0;
  double waiting_since_ = -1;
};

// From beginning to end.
template <class T>
void execute(const Program<T>& program, Transport& transport, const Workspace<T>& workspace,
             const RunOptions<T>& options);

}  // namespace kallima
