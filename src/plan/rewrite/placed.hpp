#pragma once
// A schedule that was planned for separate arrays, run in place, and the other way round: what the caller's array
// cannot hold at once is copied to the rank's own memory, by tasks like any other.

#include "kallima/plan.hpp"

namespace kallima {

RankSchedule placed(RankSchedule schedule, Placement planned, Placement wanted);

}  // namespace kallima
