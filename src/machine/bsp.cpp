// BSP: no single message has a price, only a superstep has; see simulate/supersteps.cpp.

#include "machine/model.hpp"

namespace kallima {

template <>
const Model<Bsp>& model<Bsp>() {
  static const Model<Bsp> it{"bsp",
                             "Valiant, A bridging model for parallel computation, 1990; units as in Bisseling, "
                             "Parallel Scientific Computation",
                             {{"r", "floating point operations per unit of time", &Bsp::r},
                              {"g", "operations per real word sent or received", &Bsp::g},
                              {"l", "operations per synchronisation", &Bsp::l},
                              {memory_key, memory_meaning, &Bsp::m}}};
  return it;
}

}  // namespace kallima
