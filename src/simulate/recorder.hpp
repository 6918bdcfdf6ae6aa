#pragma once
// What a simulation remembers of itself: a few sums, and a trace where one is wanted.

#include <algorithm>

#include "kallima/simulate.hpp"

namespace kallima {

class Recorder {
 public:
  Recorder(const Outline& outline, bool trace) : outline_(outline), wants_trace_(trace) {}

  void note(int rank, int id, const OutlineTask& task, double begin, double end) {
    if (!wants_trace_) return;
    Event event{.rank = rank, .task = id, .kind = task.kind, .label = outline_.stages[task.stage]};
    event.peer = task.peer < 0 ? -1 : outline_.peer_of(rank, task.peer);
    event.begin = begin;
    event.end = end;
    event.elements = task.words;
    result.trace.events.push_back(std::move(event));
  }

  // Counts a message; what it returns is for note_taken().
  int note_sent(int rank, const OutlineTask& task, double time, const MessageCost& cost, double arrival) {
    result.last_send = std::max(result.last_send, time);
    ++result.messages;
    result.words += task.words;
    if (!wants_trace_) return -1;
    Flight flight{.from = rank, .to = outline_.peer_of(rank, task.peer), .words = task.words, .sent = time};
    flight.departed = time + std::max(cost.send_gap, cost.send_busy);
    flight.arrived = arrival;
    result.trace.flights.push_back(flight);
    return static_cast<int>(result.trace.flights.size()) - 1;
  }

  void note_taken(int flight, double time) {
    if (flight >= 0) result.trace.flights[static_cast<std::size_t>(flight)].taken = time;
  }

  Simulation result;

 private:
  const Outline& outline_;
  const bool wants_trace_;
};

}  // namespace kallima
