#include "bench/collect.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "kallima/stopwatch.hpp"

namespace kallima::cli {

double largest(Transport& transport, double mine) {
  const std::vector<double> all = gathered(transport, mine);
  return *std::max_element(all.begin(), all.end());
}

double total(Transport& transport, double mine) {
  const std::vector<double> all = gathered(transport, mine);
  return std::accumulate(all.begin(), all.end(), 0.0);
}

double seconds_of(Transport& transport, const std::function<void()>& action) {
  using Clock = std::chrono::steady_clock;
  transport.barrier();
  const auto begin = Clock::now();
  action();
  return seconds_together(transport, begin);
}

}  // namespace kallima::cli
