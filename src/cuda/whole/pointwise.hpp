#pragma once
// Plain kernels, one number after the other: what is left to do where a pass over memory could not be saved.

#include "cuda/whole/whole_transform.hpp"

namespace kallima::cuda {

// values[i] *= scale, for `count` reals.
void start_scale(void* values, Index count, double scale, Precision precision, Stream stream);

// values[i] *= scale * factors[i % period], for `count` complex numbers.
void start_multiply(void* values, const void* factors, Index count, Index period, FactorKind factor, double scale,
                    Precision precision, Stream stream);

}  // namespace kallima::cuda
