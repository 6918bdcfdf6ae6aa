#pragma once
// Runs a compiled schedule on a transport. Posts go out as soon as they may, finished messages and computations are
// noticed between tasks, and among the tasks that can run the one with the lowest number does; only when none can does
// the rank wait. An Execution is one such run that can be left and taken up again, so that several go through one
// transport at once. It keeps its memory for the next run, which then allocates nothing.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>

#include "base/smallest.hpp"
#include "execute/program.hpp"
#include "kallima/trace.hpp"
#include "kallima/transport.hpp"
#include "transport/notes_copies.hpp"

namespace kallima {

struct RunOptions {
  long double scale = 1;
  int number = 0;  // of this run among those that are under way at once
  int tags = 0;    // that each of them may use
  int kind = 0;    // of what is run: each has tags of its own
  const Apply* apply = nullptr;
  std::byte* kept = nullptr;             // what a preparation left, where there was one
  Trace* trace = nullptr;                // its times are those of a steady clock
  kernel::WireErrors* errors = nullptr;  // of what is encoded; null where nobody asks
};

// How often and for how long a rank polled its messages while it computed, for the trace. Seconds of a steady clock.
class Polls {
 public:
  explicit Polls(double time = 0) : last_(time) {}
  void add(double begin, double end) {
    ++count_;
    spent_ += end - begin;
    longest_gap_ = std::max(longest_gap_, begin - last_);
    last_ = end;
  }
  void write(Event& event) const {
    event.polls = count_;
    event.polling = spent_;
    event.longest_gap = std::max(longest_gap_, event.end - last_);
  }

 private:
  int count_ = 0;
  double spent_ = 0;
  double last_;
  double longest_gap_ = 0;
};

class Execution {
 public:
  using Memory = decltype(Operands::buffers);

  explicit Execution(Transport& transport);
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  // Begins a run on the caller's arrays and the rank's own. The one before must be over, or given up.
  void begin(const Program& program, const Memory& memory, const RunOptions& options);

  bool over() const { return done_ == unmet_.size(); }  // every message is finished, too
  bool exchange();                                      // posts and notices what it can; true if anything happened
  bool can_compute() const { return !computable_.empty(); }
  bool can_feed() const;                    // the next computation is one that a message waits for
  void compute(std::span<std::byte> tile);  // one task
  void idle();                              // nothing to do
  void stop_waiting();                      // another run has something to do

 private:
  using Clock = std::chrono::steady_clock;

  struct Started {  // a computation that goes on by itself
    int task;
    Ticket ticket;
    double begin;
  };

  // Of a computation that was started in order, those that compute, too, have not waited for its end.
  enum class Followers { wait, told };

  Request& request_of(int id) { return requests_[at(program_->message_number(id))]; }
  std::span<std::byte> bytes(const Program::Message& message) const;
  void make_ready(int id);
  bool is_computation(int id) const;
  void met_one(int id);
  void complete(int id, Followers followers = Followers::wait);
  bool post_all();
  void post(int id);
  bool poll_messages();
  void finish_message(int id);
  bool poll_computations();
  void note_started(const Started& it);
  void finish_computation(int id, Followers followers);

  void poll_in_between();
  double clock() const;
  Event* note(int id, double begin, double end);  // null where nothing is recorded

  Transport& transport_;
  NotesCopies* const notes_;  // null: messages go through no copies
  const Clock::duration poll_every_;
  const Progress progress_;
  const Program* program_ = nullptr;
  RunOptions options_;
  Operands operands_;
  std::vector<int> unmet_;
  std::vector<Request> requests_;  // by message
  std::vector<int> unread_;        // readers left, by message
  Clock::time_point polled_ = {};
  Polls polls_;  // of the computation that runs, where they are recorded
  Smallest<int> posts_;
  Smallest<int> computable_;
  std::vector<int> pending_;
  std::vector<int> finished_;  // of these, in one round
  std::vector<Started> started_;
  std::map<std::string, double> turns_;  // when the last of each line of these was done, for the trace
  std::size_t done_ = 0;
  double waiting_since_ = -1;
};

}  // namespace kallima
