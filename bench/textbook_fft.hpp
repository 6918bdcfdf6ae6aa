#pragma once
// The plainest of fast Fourier transforms, in double precision or long double: by prime factors, the least first, and
// long primes as convolutions with a chirp (Bluestein) of a power of two points.

#include <complex>
#include <map>
#include <vector>

#include "kallima/types.hpp"

namespace kallima::cli {

template <class Real>
using ValuesOf = std::vector<std::complex<Real>>;
using Values = ValuesOf<double>;

template <class Real = double>
ValuesOf<Real> roots_of(Index n);  // exp(-2 pi i k/n)

template <class Real>
struct LongPrime {
  ValuesOf<Real> chirp, spectrum, roots;  // exp(-pi i k^2/p), the spectrum of its conjugate, and as many points' roots
};

// What transforms with the same roots share.
template <class Real = double>
struct TextbookWork {
  ValuesOf<Real> terms = {}, sums = {};
  std::map<Index, LongPrime<Real>> primes = {};
};

// Of every `step`-th element of x, of which there are n, forward; `roots` are those of n * step.
template <class Real>
void textbook_fft(const std::complex<Real>* x, Index step, std::complex<Real>* y, Index n, const ValuesOf<Real>& roots,
                  TextbookWork<Real>& work);

}  // namespace kallima::cli
