#pragma once
// Forward, a function of the caller's on the spectrum, and backward, as one schedule: the function is applied to each
// part of the spectrum by the task that was the last to write it, and backward's tasks wait for just the parts they
// read.

#include "kallima/plan.hpp"

namespace kallima {

struct AppliedSchedule {
  RankSchedule tasks;  // of a forward schedule, in place too where in and out are one; backward's passes are reversed
  Index spectrum = 0;  // where the spectrum begins in the work buffer, in complex numbers
};

// Of a plan that is not for work in place.
AppliedSchedule applied_schedule(const Plan& plan, int rank);

}  // namespace kallima
