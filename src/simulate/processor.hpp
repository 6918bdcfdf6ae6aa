#pragma once
// The state of one simulated rank, and when each is to be looked at.

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <limits>

#include "base/smallest.hpp"
#include "kallima/outline.hpp"

namespace kallima {

inline constexpr double never = std::numeric_limits<double>::infinity();

// A message on its way to, or in, an inbox. The earliest arrival comes first, then the lowest sender.
struct Mail {
  double arrival = 0;
  int sender = 0;
  int task = 0;  // the recv_finish
  int flight = -1;
  Index price = 0;  // as SimulatedRanks::price() takes it
  auto operator<=>(const Mail&) const = default;
};

struct TimedTask {
  double time = 0;
  int task = 0;
  bool operator>(const TimedTask& other) const { return time > other.time; }
};

// A set of task numbers whose lowest member is found in a few instructions: a tree of 64-bit words in which a bit says
// whether the word below has any.
class ReadySet {
 public:
  explicit ReadySet(std::size_t size) {
    std::size_t words = 0;
    do {
      size = std::max<std::size_t>(1, (size + 63) / 64);  // one word even for nothing
      first_[levels_++] = words;
      words += size;
    } while (size > 1);
    words_.assign(words, 0);
  }

  bool empty() const { return words_.back() == 0; }

  int lowest() const {  // of a set that is not empty
    std::size_t it = 0;
    for (std::size_t level = levels_; level-- > 0;) it = it * 64 + at(std::countr_zero(words_[first_[level] + it]));
    return static_cast<int>(it);
  }

  void toggle(int task) {  // puts it in, or takes it out
    for (std::size_t level = 0, it = at(task); level < levels_; ++level, it /= 64) {
      std::uint64_t& word = words_[first_[level] + it / 64];
      const bool had_any = word != 0;
      word ^= std::uint64_t{1} << (it % 64);
      if (had_any == (word != 0)) return;
    }
  }

 private:
  std::vector<std::uint64_t> words_;
  std::array<std::size_t, 6> first_{};
  std::size_t levels_ = 0;
};

struct Processor {
  Processor(const Script& its_script, int its_rank)
      : script(&its_script), rank(its_rank), ready(its_script.size()), unmet(its_script.size()) {
    for (std::size_t i = 0; i < unmet.size(); ++i)
      unmet[i] = static_cast<std::uint32_t>(its_script.after(static_cast<int>(i)).size());
  }

  bool idle() const { return running < 0; }

  const Script* script;
  int rank;
  ReadySet ready;                    // compute and copy tasks
  std::vector<std::uint32_t> unmet;  // dependencies left
  int running = -1;                  // the task that has the processor until `free_at`
  double free_at = 0;
  std::vector<TimedTask> outgoing;  // sends that are ready, from `first_outgoing` on
  std::size_t first_outgoing = 0;
  double next_send = 0;
  Smallest<Mail> inbox;
  std::vector<Mail> unexpected;  // arrived before their receive was posted
  double last_taken = -never;
  Smallest<TimedTask> departures;    // send_finish tasks, and copies over a bus
  std::array<double, 2> bus_free{};  // when the engines of both directions have nothing left to do
  Index unposted = 0;                // messages to this rank that have not been sent
  std::size_t left = 0;              // tasks that are not done
  double busy = 0;
  double finish = 0;

  // Limited capacity only.
  Index under_way = 0;                    // to this rank, places promised to senders included
  Smallest<std::pair<double, int>> held;  // since when which senders wait for a place
  bool is_held = false;
  bool has_place = false;
  double place_since = 0;
};

// When each rank is to be looked at next: a queue of ranks by (time, turn, rank), in which a rank's time can become
// earlier: what was entered for it before is then passed over. The turn orders what happens at one instant: 0 where
// tasks end and messages leave, 1 where messages are taken, 2 where tasks begin.
class Agenda {
 public:
  struct Appointment {
    double time = never;
    int turn = 3;  // after all others
    int rank = 0;
    auto operator<=>(const Appointment&) const = default;
  };

  explicit Agenda(int ranks) : next_(at(ranks)) {}

  bool empty() const { return queue_.empty(); }
  double earliest() const { return queue_.empty() ? never : queue_.top().time; }

  Appointment pop() {
    const Appointment top = queue_.pop();
    next_of(top) = {};
    while (!queue_.empty() && next_of(queue_.top()) != queue_.top()) queue_.pop();
    return top;
  }

  // Unless the rank is to be looked at before that anyway.
  void no_later_than(int rank, double time, int turn = 0) {
    const Appointment entry{time, turn, rank};
    if (!(entry < next_of(entry))) return;
    next_of(entry) = entry;
    queue_.push(entry);
  }

 private:
  Appointment& next_of(const Appointment& entry) { return next_[at(entry.rank)]; }

  Smallest<Appointment> queue_;    // begins with what is some rank's next
  std::vector<Appointment> next_;  // by rank
};

}  // namespace kallima
