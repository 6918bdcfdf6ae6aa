#pragma once
// The ways that cuFFT does the work: what our kernels are compared with, and what is left to it.

#include "cuda/whole/whole_transform.hpp"

namespace kallima::cuda {

std::unique_ptr<WholeTransform> make_cufft_transform(const WholeProblem& problem);

// cuFFT, a kernel that multiplies, cuFFT.
std::unique_ptr<WholeApply> make_cufft_apply(const WholeProblem& forward, FactorKind factor);

}  // namespace kallima::cuda
