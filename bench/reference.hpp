#pragma once
// What a transform of a whole array is, by FFTW on one core in double precision, axis by axis.

#include <complex>
#include <vector>

#include "kallima/problem.hpp"

namespace kallima::cli {

using Values = std::vector<std::complex<double>>;  // of reals: with imaginary parts of zero

// The forward transform of a checked problem, unscaled: an array of spectrum_shape().
Values reference(const Problem& problem, const Values& in);

}  // namespace kallima::cli
