#pragma once
// What transforms of whole arrays take on the current device, put together from their parts: each pass of our kernels
// is timed by itself, and of cuFFT's transforms one of half the array. For predictions: nothing is timed as a whole.

#include "cuda/whole/whole_transform.hpp"

namespace kallima::cuda {

double whole_seconds(const WholeProblem& problem);
double apply_seconds(const WholeProblem& forward, FactorKind factor);

}  // namespace kallima::cuda
