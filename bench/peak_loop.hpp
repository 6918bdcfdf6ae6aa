#pragma once
// Arithmetic and nothing else, compiled once for each instruction set that the library has kernels for.

#include <cstddef>

namespace kallima::cli {

// Multiplies and adds in `chains` chains that do not wait for one another, `rounds` times each.
template <class T>
struct PeakLoop {
  T (*run)(std::size_t rounds, T start, T factor);  // what it returns keeps the compiler from leaving it out
  double flops_per_round = 0;
};

// How many chains a processor needs depends on its pipes and their depth, and how many it can hold on its registers, so
// there are several loops to choose from.
inline constexpr std::size_t peak_loop_count = 4;

}  // namespace kallima::cli
