#pragma once
// What a schedule would take on a machine, without the machine. Discrete events, deterministic: equal arguments give
// equal results. A node started at t is done at t + its cost; a message sent at s is in the receiver's inbox at s + its
// flight, is taken at v no earlier than that, and is usable from v + overhead. A free processor prefers to send, then
// to receive, then the task with the lowest number; nothing is interrupted. Messages leave in the order in which they
// were made ready; the inbox is ordered by arrival, then by sender. Where the overhead is 0 messages need no processor.

#include "kallima/machine.hpp"
#include "kallima/outline.hpp"
#include "kallima/trace.hpp"

namespace kallima {

// Every message takes the full latency, or a random part of it, so that messages overtake one another.
enum class Latency { full, random };

// Whether a message may leave while max(1, ceil(L/g)) others are under way to the same processor. Those that may not
// are let go in the order in which they were held back, then by sender.
enum class Capacity { unlimited, limited };

// Which ranks are simulated. One rank stands for all where the outline is symmetric.
enum class Pricing { automatic, all_ranks, one_rank };

// Where messages share links (nodes, topologies): as flows, which share every link fairly at every moment, all ranks;
// or by rounds, the i-th message of every rank with the i-th of the others, each taking what the busiest link of its
// round takes. Flows are exact, and need all ranks; rounds need one where one stands for all. By default rounds price
// what one rank stands for and what has very many messages, and flows everything else.
enum class Sharing { automatic, flows, rounds };

struct SimulateOptions {
  Latency latency = Latency::full;
  std::uint64_t seed = 0;
  Capacity capacity = Capacity::unlimited;
  Pricing pricing = Pricing::automatic;
  Sharing sharing = Sharing::automatic;
  bool trace = false;  // whether Simulation::trace is wanted
};

struct Simulation {
  double last_send = 0;   // start of the last send; 0 where nothing is sent
  double completion = 0;  // when the last processor is done
  double idle_max = 0;    // the most any processor idled: its own finish less its busy time
  Index messages = 0;     // of all ranks
  Index words = 0;        // of all ranks, as sent (complex words in a transform)
  Index tasks = 0;        // simulated
  int simulated_ranks = 0;
  Sharing sharing = Sharing::automatic;  // how links were shared; automatic: none were
  int supersteps = 0;                    // BSP only: computation and communication ones that are not empty
  std::string unit;
  Trace trace;
};

Simulation simulate(const Outline& outline, const Machine& machine, const SimulateOptions& options = {});
inline Simulation simulate(const Schedule& schedule, const Machine& machine, const SimulateOptions& options = {}) {
  return simulate(outline(schedule), machine, options);
}

}  // namespace kallima
