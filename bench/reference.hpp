#pragma once
// What a transform of a whole array is, axis by axis in double precision, by the plainest of fast algorithms, which has
// nothing in common with what it is compared with.

#include <complex>
#include <vector>

#include "kallima/problem.hpp"

namespace kallima::cli {

using Values = std::vector<std::complex<double>>;  // of reals: with imaginary parts of zero

// The forward transform of a checked problem, unscaled: an array of spectrum_shape().
Values reference(const Problem& problem, const Values& in);

}  // namespace kallima::cli
