#pragma once
// Two schedules, one after the other, as one.

#include "kallima/schedule.hpp"

namespace kallima {

// What the first leaves in `out` the second finds in `in`: behind the first one's work buffer. A task of the second
// waits for those of the first that write what it reads, and is done as early as these allow.
RankSchedule joined(RankSchedule first, RankSchedule second);

}  // namespace kallima
