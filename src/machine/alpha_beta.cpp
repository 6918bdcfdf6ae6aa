// Alpha-beta: a message costs a fixed time and a time per word, and the sender waits for it. The receiver's link is
// taken as long; its processor is not, or an exchange between two ranks could not be one step.

#include "machine/model.hpp"

namespace kallima {

template <>
const Model<AlphaBeta>& model<AlphaBeta>() {
  static const Model<AlphaBeta> it{"alphabeta",
                                   "Solomonik, Distributed-memory models and algorithms, 2015",
                                   {{"alpha", "time per message", &AlphaBeta::alpha},
                                    {"beta", "time per word", &AlphaBeta::beta},
                                    {"r", "floating point operations per unit of time", &AlphaBeta::r},
                                    {memory_key, memory_meaning, &AlphaBeta::m}}};
  return it;
}

MessageCost message_cost(const AlphaBeta& machine, Index words) {
  const double time = machine.alpha + static_cast<double>(words) * machine.beta;
  return {.send_busy = time, .send_gap = time, .flight = time, .recv_gap = time};
}

}  // namespace kallima
