// The nodes that are shipped, for numbers that are common.

#include "kallima/node.hpp"

namespace kallima {

KALLIMA_NODES_OF(, double)
KALLIMA_NODES_OF(, float)
KALLIMA_NODES_OF(, std::int64_t)
KALLIMA_NODES_OF(, std::int32_t)

}  // namespace kallima
