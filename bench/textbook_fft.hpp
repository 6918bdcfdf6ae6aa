#pragma once
// The plainest of fast Fourier transforms, in double precision: by prime factors, the least first, and long primes as
// convolutions with a chirp (Bluestein) of a power of two points.

#include <complex>
#include <map>
#include <vector>

#include "kallima/types.hpp"

namespace kallima::cli {

using Values = std::vector<std::complex<double>>;

Values roots_of(Index n);  // exp(-2 pi i k/n)

struct LongPrime {
  Values chirp, spectrum, roots;  // exp(-pi i k^2/p), the spectrum of its conjugate, and roots of as many points
};

// What transforms with the same roots share.
struct TextbookWork {
  Values terms = {}, sums = {};
  std::map<Index, LongPrime> primes = {};
};

// Of every `step`-th element of x, of which there are n, forward; `roots` are those of n * step.
void textbook_fft(const std::complex<double>* x, Index step, std::complex<double>* y, Index n, const Values& roots,
                  TextbookWork& work);

}  // namespace kallima::cli
