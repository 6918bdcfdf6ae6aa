#pragma once
// Schedules in files. What is written says what it is for, so that it can be run; what is read is proved before
// anybody uses it.

#include <string>

#include "kallima/plan.hpp"

namespace kallima::cli {

// The schedule of all ranks, with the layouts, the precision and the scale of the plan's problem. Throws Error where it
// would be too large for a file that anybody reads.
void export_schedule(const Plan& plan, Direction direction, Norm norm, const std::string& path);

// Throws Error, beginning with `path`, unless `text` is a schedule that validate() accepts.
Schedule checked_schedule(const std::string& text, const std::string& path);

}  // namespace kallima::cli
