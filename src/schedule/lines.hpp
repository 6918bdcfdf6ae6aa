#pragma once
// How long a pass's lines are at both ends.

#include "kallima/schedule.hpp"

namespace kallima {

// Encoded lines are as long as there is room for them.
inline Index elements_read(const Pass& pass) {
  if (pass.action == Action::decode && !pass.sources.empty()) return pass.sources[0].count;
  return pass.action == Action::transform && pass.kind == Kind::half_to_real ? pass.length / 2 + 1 : pass.length;
}

inline Index elements_written(const Pass& pass) {
  if (pass.action == Action::sum) return 1;
  if (pass.action == Action::encode && !pass.targets.empty()) return pass.targets[0].count;
  return pass.action == Action::transform && pass.kind == Kind::real_to_half ? pass.length / 2 + 1 : pass.length;
}

}  // namespace kallima
