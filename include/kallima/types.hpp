#pragma once
// The few names every other header uses. An Index counts elements and may be large; a rank is an int, as in MPI.

#include <complex>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace kallima {

using Index = std::int64_t;
using Shape = std::vector<Index>;

// FFTW's sign convention: forward is exp(-2 pi i jk/n), backward exp(+2 pi i jk/n), neither is scaled.
enum class Direction { forward, backward };

// What a transform multiplies its result by: nothing, 1/sqrt(N) or 1/N, N being the number of transformed points.
enum class Norm { none, ortho, full };

// How long FFTW may search for its plans (its ESTIMATE, MEASURE and PATIENT).
enum class Effort { estimate, measure, patient };

enum class Precision { single_, double_ };

// Everything Kallima reports to its caller: wrong arguments, and an environment that cannot do what was asked.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace kallima
