// Each rate is the best of several short runs: a ceiling that others may have lowered for a moment is no ceiling.

#include "bench/roofline.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>

#include "app/check.hpp"
#include "bench/peak_loop.hpp"
#include "kallima/memory.hpp"

namespace kallima::cli {

#define X(isa)                            \
  namespace isa {                         \
  const PeakLoop<float>* float_loops();   \
  const PeakLoop<double>* double_loops(); \
  }
KALLIMA_INSTRUCTION_SETS
#undef X

namespace {

constexpr int tries = 9;
constexpr double long_enough_s = 1e-3;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// How often `action(times)` does its work in a second, at best.
template <class Action>
double best_rate(const Action& action) {
  std::size_t times = 1;
  double best = 0;
  for (int done = 0; done < tries;) {
    const auto begin = Clock::now();
    action(times);
    const double taken = seconds_since(begin);
    if (taken < long_enough_s) {
      times *= 2;
      continue;
    }
    best = std::max(best, static_cast<double>(times) / taken);
    ++done;
  }
  return best;
}

template <class T>
double best_of(const PeakLoop<T>* loops) {
  volatile T start = 1, factor = T(1e-12), result = 0;  // so small a part that chains hardly grow
  double best = 0;
  for (std::size_t k = 0; k < peak_loop_count; ++k) {
    const double rate = best_rate([&](std::size_t times) { result = loops[k].run(times, start, factor); });
    best = std::max(best, rate * loops[k].flops_per_round);
  }
  return best;
}

std::string word_of(const std::string& file) {
  std::ifstream in(file);
  std::string word;
  in >> word;
  return word;
}

// "1024K" or "32M"
Index bytes_in(const std::string& size) {
  const Index unit = size.ends_with('K') ? 1 << 10 : size.ends_with('M') ? 1 << 20 : 1;
  return size.empty() ? 0 : std::atoll(size.c_str()) * unit;
}

}  // namespace

// What is for instructions only has no part in it.
CacheSizes cache_sizes() {
  CacheSizes sizes{256 << 10, 0};
  for (int i = 0;; ++i) {
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", i);
    const Index bytes = bytes_in(word_of(folder + "size"));
    if (bytes == 0) break;
    if (word_of(folder + "type") == "Instruction") continue;
    if (word_of(folder + "level") == "2") sizes.own = bytes;
    sizes.last = std::max(sizes.last, bytes);
  }
  if (sizes.last == 0) sizes.last = 32 << 20;
  sizes.own = std::min(sizes.own, sizes.last);
  return sizes;
}

double peak_flops(const std::string& isa, Precision precision) {
#define X(set) \
  if (isa == #set) return precision == Precision::single_ ? best_of(set::float_loops()) : best_of(set::double_loops());
  KALLIMA_INSTRUCTION_SETS
#undef X
  fail("the peak of {} is not known (no loop was compiled for it)", isa);
}

double copy_rate(Index bytes) {
  const Array<char> memory(bytes);
  const auto half = static_cast<std::size_t>(bytes / 2);
  std::fill(memory.begin(), memory.end(), char{1});
  const double copies = best_rate([&](std::size_t times) {
    for (std::size_t i = 0; i < times; ++i) {
      std::memcpy(memory.data() + half, memory.data(), half);
      __asm__ volatile("" : : "r"(memory.data()) : "memory");  // or the next copy would do
    }
  });
  return 2 * static_cast<double>(half) * copies;
}

double roofline_ns(Index length, Precision precision, double flops_per_s, double bytes_per_s) {
  const double flops = 5 * std::log2(static_cast<double>(length));
  const double bytes = precision == Precision::single_ ? 16 : 32;
  return 1e9 * std::max(flops / flops_per_s, bytes / bytes_per_s);
}

}  // namespace kallima::cli
