#pragma once
// How long a pass's lines are at both ends.

#include "kallima/schedule.hpp"

namespace kallima {

inline Index elements_read(const Pass& pass) {
  return pass.action == Action::transform && pass.kind == Kind::half_to_real ? pass.length / 2 + 1 : pass.length;
}

inline Index elements_written(const Pass& pass) {
  if (pass.action == Action::sum) return 1;
  return pass.action == Action::transform && pass.kind == Kind::real_to_half ? pass.length / 2 + 1 : pass.length;
}

}  // namespace kallima
