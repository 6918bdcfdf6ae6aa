#pragma once
// Applications never arrive together. Before a run a random half of the ranks (rounded up) is put to sleep, each for a
// random time up to `longest`; asleep, because the application of a late rank would not use another rank's core. The
// delays follow from the number of the run alone: the same for everybody who runs in that turn, and on every machine.

#include <vector>

namespace kallima::cli {

struct Skew {
  double longest = 0;  // seconds; 0: none
  int ranks = 1;

  std::vector<double> delays(int run) const;  // by rank, in seconds
};

void sleep_for(double seconds);

}  // namespace kallima::cli
