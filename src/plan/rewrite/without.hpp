#pragma once
// Half of what a schedule does, to learn how long it takes alone.

#include "kallima/schedule.hpp"

namespace kallima {

// Tasks keep their numbers and who waits for whom; those that are left out do nothing. Without the exchange, blocks are
// read where they would have landed or, where they would have been views, from the rank's own memory: the answer is
// wrong, the work the same.
RankSchedule without(RankSchedule schedule, Only part);

}  // namespace kallima
