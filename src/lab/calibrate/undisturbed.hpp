#pragma once
// Machines are shared. What was timed while the core was taken from this thread for another says nothing about the
// machine, and the operating system counts for how long that was. It does not know of others who compute on the same
// core, on its other hardware thread: neighbours of a virtual machine, most often, for seconds at a time, in which
// lines take up to twice as long. A small transform of known time tells. Of what is left the median counts.

#include <algorithm>
#include <vector>

namespace kallima {

// This thread had something to do all that time and no core to do it on, since it began.
double deprived_s();

// A hundredth of what was timed is as much as clocks differ.
inline bool is_disturbed(double deprived, double seconds) { return deprived > 0.01 * seconds; }

// Whether this thread has its core to itself now, as far as a transform of some microseconds takes hardly more than at
// the best of times that this thread has seen.
bool is_calm();

// Waits until it has, for a second at most; all in all no longer than five seconds and half of the time that was spent
// otherwise.
void await_calm();

// The best that this thread has seen, and what others have: it may be new here, and never alone.
double calm_seconds();
void expect_calm(double seconds);

// Of two in the middle the lesser.
inline double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[(values.size() - 1) / 2];
}

}  // namespace kallima
