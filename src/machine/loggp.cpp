// LogGP: LogP with long messages. The next message may start when the last word has left, the message is in the inbox a
// latency after that. (Alexandrov et al. count G for all words but the first; here every word costs it, so that blocks
// sent back to back arrive G per word apart.)

#include <algorithm>

#include "machine/model.hpp"

namespace kallima {

template <>
const Model<Loggp>& model<Loggp>() {
  static const Model<Loggp> it{"loggp",
                               "Alexandrov et al., LogGP: incorporating long messages into the LogP model, 1995",
                               {{"L", "upper bound of the latency, time", &Loggp::L},
                                {"o", "overhead of sending and of receiving, time", &Loggp::o},
                                {"g", "gap between sends and between receives, time", &Loggp::g},
                                {"G", "gap per word of a long message, time", &Loggp::G},
                                {"P", "processors; 0: any number", &Loggp::P},
                                {"r", "floating point operations per unit of time", &Loggp::r},
                                {memory_key, memory_meaning, &Loggp::m}}};
  return it;
}

MessageCost message_cost(const Loggp& machine, Index words) {
  const double transfer = static_cast<double>(words) * machine.G;
  const double gap = std::max(machine.g, transfer);
  return {.send_busy = machine.o,
          .send_gap = gap,
          .flight = machine.o + transfer + machine.L,
          .latency = machine.L,
          .recv_busy = machine.o,
          .recv_gap = gap};
}

}  // namespace kallima
