#pragma once
// The state of one simulated rank.

#include <algorithm>
#include <vector>

#include "kallima/outline.hpp"
#include "simulate/agenda.hpp"
#include "simulate/ready_set.hpp"

namespace kallima {

// A message on its way to, or in, an inbox. The earliest arrival comes first, then the lowest sender.
struct Mail {
  double arrival = 0;
  int sender = 0;
  int task = 0;  // the recv_finish
  int flight = -1;
  Index words = 0;
  bool operator<(const Mail& other) const {
    if (arrival != other.arrival) return arrival < other.arrival;
    return sender != other.sender ? sender < other.sender : task < other.task;
  }
};

struct Outgoing {
  double ready = 0;
  int task = 0;
};

// The smallest element of a vector kept as a heap.
template <class T>
class Smallest {
 public:
  bool empty() const { return items_.empty(); }
  const T& top() const { return items_.front(); }
  void push(const T& item) {
    items_.push_back(item);
    std::push_heap(items_.begin(), items_.end(), after);
  }
  T pop() {
    std::pop_heap(items_.begin(), items_.end(), after);
    const T item = items_.back();
    items_.pop_back();
    return item;
  }

 private:
  static bool after(const T& a, const T& b) { return b < a; }
  std::vector<T> items_;
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
  std::vector<Outgoing> outgoing;  // sends that are ready, from `first_outgoing` on
  std::size_t first_outgoing = 0;
  double next_send = 0;
  Smallest<Mail> inbox;
  std::vector<Mail> unexpected;  // arrived before their receive was posted
  double last_taken = -never;
  struct Departure {
    double time = 0;
    int task = 0;
    bool operator<(const Departure& other) const { return time < other.time; }
  };
  Smallest<Departure> departures;  // send_finish tasks
  Index unposted = 0;              // messages to this rank that have not been sent
  std::size_t left = 0;            // tasks that are not done
  double busy = 0;
  double finish = 0;

  // Limited capacity only.
  Index under_way = 0;  // to this rank, places promised to senders included
  struct Held {
    double since = 0;
    int sender = 0;
    bool operator<(const Held& other) const {
      return since != other.since ? since < other.since : sender < other.sender;
    }
  };
  Smallest<Held> held;  // senders that wait for a place
  bool is_held = false;
  bool has_place = false;
  double place_since = 0;
};

}  // namespace kallima
