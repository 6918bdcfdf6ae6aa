#pragma once
// Machines are shared. What was timed while the core was taken from this thread for another says nothing about the
// machine, and the operating system counts how often that happens. Of what is left the median counts.

#include <sys/resource.h>

#include <algorithm>
#include <vector>

namespace kallima {

inline long preemptions() {
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  return used.ru_nivcsw;
}

inline double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

}  // namespace kallima
