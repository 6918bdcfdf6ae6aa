#pragma once
// What the two ways to simulate, by messages and by supersteps, share: the cost of work, and what is remembered of it.

#include <algorithm>

#include "kallima/simulate.hpp"

namespace kallima {

// simulate() has decided how many ranks are to be simulated, all or one, and adds what follows from the outline alone.
inline std::size_t simulated_ranks(const Outline& outline, const SimulateOptions& options) {
  return options.pricing == Pricing::one_rank ? 1 : at(outline.ranks);
}
Simulation simulate_network(const Outline& outline, const Machine& machine, const SimulateOptions& options);
Simulation simulate_supersteps(const Outline& outline, const Bsp& machine, const SimulateOptions& options);

// As much as the longer of its arithmetic and its way through memory (see machine.hpp).
class WorkCost {
 public:
  WorkCost(const Outline& outline, const Machine& machine) : flop_rate_(flop_rate(machine)) {
    if (memory_rate(machine) > 0)
      flops_per_word_ = static_cast<double>(outline.word_bytes) * flop_rate_ / memory_rate(machine);
  }

  // In operations, those that could have been done instead.
  double flops(const OutlineTask& task) const {
    return std::max(task.flops, static_cast<double>(task.words) * flops_per_word_);
  }
  double time(const OutlineTask& task) const { return flops(task) / flop_rate_; }

 private:
  double flop_rate_;
  double flops_per_word_ = 0;
};

// A few sums, and a trace where one is wanted.
class Recorder {
 public:
  Recorder(const Outline& outline, bool trace) : outline_(outline), wants_trace_(trace) {}

  void note(int rank, int id, const OutlineTask& task, double begin, double end) {
    if (!wants_trace_) return;
    const int peer = task.peer < 0 ? -1 : outline_.peer_of(rank, task.peer);
    result.trace.events.push_back({rank, id, task.kind, outline_.stages[task.stage], 0, peer, begin, end, task.words});
  }

  // Counts a message; what it returns is for note_taken().
  int note_sent(int rank, const OutlineTask& task, double time, const MessageCost& cost, double arrival) {
    result.last_send = std::max(result.last_send, time);
    ++result.messages;
    result.words += task.words;
    if (!wants_trace_) return -1;
    const double departed = time + std::max(cost.send_gap, cost.send_busy);
    result.trace.flights.push_back({rank, outline_.peer_of(rank, task.peer), task.words, time, departed, arrival});
    return static_cast<int>(result.trace.flights.size()) - 1;
  }

  void note_taken(int flight, double time) {
    if (flight >= 0) result.trace.flights[at(flight)].taken = time;
  }

  Simulation result;

 private:
  const Outline& outline_;
  const bool wants_trace_;
};

}  // namespace kallima
