#pragma once
// Machines are shared. What was timed while the core was taken from this thread for another says nothing about the
// machine, and the operating system counts for how long that was. Of what is left the median counts.

#include <algorithm>
#include <vector>

namespace kallima {

// This thread had something to do all that time and no core to do it on, since it began.
double deprived_s();

// A hundredth of what was timed is as much as clocks differ.
inline bool is_disturbed(double deprived, double seconds) { return deprived > 0.01 * seconds; }

// Of two in the middle the lesser.
inline double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[(values.size() - 1) / 2];
}

}  // namespace kallima
