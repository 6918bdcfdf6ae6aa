#pragma once
// Plain kernels, one number after the other: what is left to do where a pass over memory could not be saved.

#include "cuda/whole/whole_transform.hpp"

namespace kallima::cuda {

// Numbers between -1/2 and 1/2, as random as measurements need.
void start_noise(void* values, Index count, unsigned seed, Precision precision, Stream stream);

// values[i] *= scale, for `count` reals.
void start_scale(void* values, Index count, double scale, Precision precision, Stream stream);

// values[i] *= scale * factors[i % period], for `count` complex numbers.
void start_multiply(void* values, const void* factors, Index count, Index period, FactorKind factor, double scale,
                    Precision precision, Stream stream);

// Doubles that are multiplied and added to, in registers, by so many threads that all units are busy; leaves nothing.
// Returns how many operations these are.
double start_multiply_adds(double* nowhere, Stream stream);

// |a - b| / |b| in the 2-norm, of `count` reals; waits for the device.
double relative_difference(const void* a, const void* b, Index count, Precision precision);

}  // namespace kallima::cuda
