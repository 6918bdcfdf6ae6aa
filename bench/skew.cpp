#include "bench/skew.hpp"

#include <chrono>
#include <numeric>
#include <random>
#include <thread>

namespace kallima::cli {

// Numbers are taken from the generator itself, since the standard's distributions differ between libraries.
std::vector<double> Skew::delays(int run) const {
  const auto count = static_cast<std::size_t>(ranks);
  std::vector<double> all(count, 0);
  if (longest <= 0) return all;
  std::mt19937_64 random(static_cast<std::uint64_t>(run) + 1);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  for (std::size_t i = 0; i < (count + 1) / 2; ++i)
    all[order[i]] = longest * static_cast<double>(random() >> 11) / static_cast<double>(std::uint64_t{1} << 53);
  return all;
}

void sleep_for(double seconds) {
  if (seconds > 0) std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

}  // namespace kallima::cli
