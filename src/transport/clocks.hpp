#pragma once
// Every machine's steady clock counts from a moment of its own. How far a rank's clock is ahead of rank 0's is found as
// F. Cristian did (Distributed Computing 3, 1989): rank 0 asks, the rank answers with its time, and rank 0 takes that
// to be the time half-way between question and answer. The quickest of a few answers is believed; it is wrong by half
// its round trip at the most.

#include <functional>
#include <vector>

#include "kallima/comm.hpp"

namespace kallima {

using ReadClock = std::function<double()>;  // seconds

double steady_seconds();

struct ClockOffset {
  double ahead = 0;  // of rank 0's clock; 0 where the round trip allows it, as it does where ranks share a clock
  double error = 0;  // half the round trip
};

// By rank, the same on all of them. Collective; takes about a dozen messages per rank, one rank after another.
std::vector<ClockOffset> clock_offsets(Transport& transport, const ReadClock& clock = steady_seconds);

// As gather(comm, mine), with events that were timed by this clock.
Trace gather(const Comm& comm, const Trace& mine, const ReadClock& clock);

}  // namespace kallima
