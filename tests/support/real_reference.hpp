#pragma once
// The definitions of the transforms of reals, as FFTW's manual has them, as a matrix of long doubles.

#include "reference.hpp"

namespace kallima {

// A line of n reals (their imaginary parts are not looked at) or, of half_to_real, of n/2+1 complex numbers, to what
// `kind` makes of it. Cosine and sine transforms take real and imaginary parts alike.
// Every step-th element of the result, to save time.
std::vector<Exact> reference_line(Kind kind, Index n, const std::vector<Exact>& line, Index step = 1);

}  // namespace kallima
