#pragma once
// How far results are from what the sums, in long double, would give: for some lines along the last axis, since a line
// takes one sweep over the input.

#include <complex>
#include <span>

#include "cuda/whole/whole_transform.hpp"

namespace kallima::cuda {

// `in` and the results hold the problem's numbers; of one array of a batch. Relative, in the 2-norm, one for each
// result.
template <class Real>
std::vector<double> line_errors(const WholeProblem& problem, std::span<const Real> in,
                                const std::vector<std::vector<std::complex<Real>>>& results, int lines);

}  // namespace kallima::cuda
