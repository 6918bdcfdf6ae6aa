#pragma once
// What a transform of a whole array is, axis by axis in double precision or long double, by the plainest of fast
// algorithms, which has nothing in common with what it is compared with.

#include "bench/textbook_fft.hpp"
#include "kallima/problem.hpp"

namespace kallima::cli {

// The forward transform of a checked problem, unscaled: an array of spectrum_shape(). Reals have imaginary parts of
// zero.
template <class Real>
ValuesOf<Real> reference(const Problem& problem, const ValuesOf<Real>& in);

}  // namespace kallima::cli
