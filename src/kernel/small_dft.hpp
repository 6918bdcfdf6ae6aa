#pragma once
// Short transforms done lane by lane straight from their sources to their targets, twiddle and scale included: one
// pass over memory where gathering, transforming and scattering would take three. The lanes are neighbours in memory,
// so the arithmetic runs in vector registers whatever the instruction set.

#include <complex>

#include "kallima/types.hpp"

namespace kallima::kernel {

bool has_small_dft(Index length);

// For each lane b < lanes: out[k][b] = scale * w[k] * sum_i omega^(ik) in[i][b]. `w` may be null. Targets may be the
// sources, in any order; otherwise they must not overlap.
template <class T>
void small_dft(Index length, Direction direction, const std::complex<T>* const* in, std::complex<T>* const* out,
               Index lanes, const std::complex<T>* w, T scale);

}  // namespace kallima::kernel
