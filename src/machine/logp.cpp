// LogP: latency, overhead, gap. A message of several words is a train of them, so that two processors see
// 2 o + L + (s - 1) g.

#include <algorithm>

#include "machine/model.hpp"

namespace kallima {

template <>
const Model<Logp>& model<Logp>() {
  static const Model<Logp> it{"logp",
                              "Culler et al., LogP: towards a realistic model of parallel computation, 1993",
                              {{"L", "upper bound of the latency, time", &Logp::L},
                               {"o", "overhead of sending and of receiving, time", &Logp::o},
                               {"g", "gap between sends and between receives, time", &Logp::g},
                               {"P", "processors; 0: any number", &Logp::P},
                               {"r", "floating point operations per unit of time", &Logp::r},
                               {memory_key, memory_meaning, &Logp::m}}};
  return it;
}

MessageCost message_cost(const Logp& machine, Index words) {
  const double train = static_cast<double>(std::max<Index>(words, 1));
  return {.send_busy = machine.o,
          .send_gap = train * machine.g,
          .flight = machine.o + machine.L + (train - 1) * machine.g,
          .latency = machine.L,
          .recv_busy = machine.o,
          .recv_gap = train * machine.g};
}

}  // namespace kallima
