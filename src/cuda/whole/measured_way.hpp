#pragma once
// Time on the device, which is measured in turns: clocks and power drift, and what is compared must drift together.

#include <functional>

#include "cuda/whole/whole_transform.hpp"

namespace kallima::cuda {

// Device memory that frees itself.
std::shared_ptr<void> scratch_memory(std::size_t bytes);

// The same, filled with numbers between -1/2 and 1/2.
std::shared_ptr<void> scratch_noise(std::size_t bytes, Precision precision, unsigned seed);

// What a transform may be given: such numbers or, where it is to make reals of them, a spectrum of reals.
std::shared_ptr<void> scratch_input(const WholeProblem& problem, unsigned seed);

// Milliseconds that one start of each takes: the median of `rounds`, each of as many starts as take about
// `round_ms`.
std::vector<double> timed_in_turns(const std::vector<std::function<void()>>& starts, int rounds, double round_ms);

}  // namespace kallima::cuda
