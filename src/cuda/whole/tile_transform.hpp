#pragma once
// Our own kernels: transforms in as few passes over memory as tiles allow. Null where there are none for a problem, or
// the device cannot run them.

#include "cuda/whole/whole_transform.hpp"

namespace kallima::cuda {

std::unique_ptr<WholeTransform> make_tile_transform(const WholeProblem& problem);
std::unique_ptr<WholeApply> make_tile_apply(const WholeProblem& forward, FactorKind factor);

}  // namespace kallima::cuda
