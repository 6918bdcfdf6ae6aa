// The nodes that are shipped, for numbers that are common: in the instruction set that the other kernels use, too.

#include "base/check.hpp"
#include "kallima/backend.hpp"
#include "network/node_codelets.hpp"

namespace kallima {
namespace network {

#define X(isa)                  \
  namespace isa {               \
  ShippedNodes shipped_nodes(); \
  }
KALLIMA_INSTRUCTION_SETS
#undef X

namespace {

const ShippedNodes& shipped_nodes() {
  static const ShippedNodes chosen = [] {
#define X(isa) \
  if (instruction_set() == #isa) return isa::shipped_nodes();
    KALLIMA_INSTRUCTION_SETS
#undef X
    fail("no nodes were compiled for {}", instruction_set());
  }();
  return chosen;
}

AnyNode any(const NodeCodelet& codelet) { return {codelet.run, 4, codelet.run_neighbours}; }

}  // namespace
}  // namespace network

#define KALLIMA_SHIPPED(T, of_t, name)                                      \
  template <>                                                               \
  AnyNode detail::any_node<T>(std::remove_const_t<decltype(name##_node)>) { \
    return network::any(network::shipped_nodes().of_t.name);                \
  }
#define KALLIMA_SHIPPED_NODES(T, of_t) \
  KALLIMA_SHIPPED(T, of_t, hadamard)   \
  KALLIMA_SHIPPED(T, of_t, zeta)       \
  KALLIMA_SHIPPED(T, of_t, moebius)    \
  KALLIMA_SHIPPED(T, of_t, bitonic_merge)
KALLIMA_SHIPPED_NODES(double, of_double)
KALLIMA_SHIPPED_NODES(float, of_float)
KALLIMA_SHIPPED_NODES(std::int64_t, of_int64)
KALLIMA_SHIPPED_NODES(std::int32_t, of_int32)

}  // namespace kallima
