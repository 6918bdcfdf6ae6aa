#pragma once
// A trace's unit of time in words: seconds take a prefix that suits them, anything else is counted.

#include <string>

namespace kallima {

// How the times of one picture are written, all in the same unit.
struct TimeScale {
  double factor = 1;  // from the trace's unit to the written one
  std::string axis;   // "time in ms", "time in butterfly nodes"
};

TimeScale time_scale(const std::string& unit, double longest);
std::string duration_text(double duration, const std::string& unit);  // "4.00 ms", "1,279 nodes"

}  // namespace kallima
