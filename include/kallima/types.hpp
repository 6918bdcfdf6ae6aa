#pragma once
// The few names every other header uses, and of the standard library what all of them need: integers of known size,
// complex numbers, strings and vectors. An Index counts elements and may be large; a rank is an int, as in MPI.

#include <complex>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace kallima {

using Index = std::int64_t;
using Shape = std::vector<Index>;

// What counts, or enumerates, as a place in an array.
constexpr std::size_t at(auto i) { return static_cast<std::size_t>(i); }

// FFTW's sign convention: forward is exp(-2 pi i jk/n), backward exp(+2 pi i jk/n), neither is scaled.
enum class Direction { forward, backward };

// What a transform multiplies its result by: nothing, 1/sqrt(N) or 1/N, N being the number of transformed points.
enum class Norm { none, ortho, full };

// How long planning may take: what is tried, and how long FFTW, where it is used, may search (its ESTIMATE, MEASURE and
// PATIENT).
enum class Effort { estimate, measure, patient };

enum class Precision { single_, double_, long_double };

// What an array holds.
enum class Data { complex_, real_ };

// What is done along an axis: the Fourier transform, or one of FFTW's cosine and sine transforms (REDFT00, 10, 01, 11
// and RODFT00, 10, 01, 11), unscaled as there. Problems do not name the two in the middle: along one axis of real data
// the Fourier transform is real_to_half, n reals to the n/2+1 complex numbers that determine the rest, and back.
enum class Kind { fourier, real_to_half, half_to_real, dct1, dct2, dct3, dct4, dst1, dst2, dst3, dst4 };

// Everything Kallima reports to its caller: wrong arguments, and an environment that cannot do what was asked.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace kallima
