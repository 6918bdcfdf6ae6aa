#pragma once
// A signal whose transform is known everywhere: a plane wave and an impulse of equal energy,
//   x[j] = exp(2 pi i k0.j/n) + sqrt(N) delta(j - j0)   ->   X[k] = N delta(k - k0) + sqrt(N) exp(-2 pi i k.j0/n).
// Every element of X counts, so one that is missing, misplaced or wrong shows, at any size and without another FFT.

#include <complex>
#include <span>
#include <vector>

#include "kallima/layout.hpp"
#include "kallima/transport.hpp"

namespace kallima::cli {

// One dimension of a rank's local array, outermost first: its extent n and the global indices it holds.
struct Axis {
  Index extent = 1;
  std::size_t dimension = 0;  // of the global shape
  Progression owned = {};
};

std::vector<Axis> axes_of(const Layout& layout, int rank);
Axis block_axis(const Shape& shape, std::size_t dimension, Index first, Index count);

template <class T>
void fill_signal(const std::vector<Axis>& axes, std::span<std::complex<T>> part);

// Squares summed over one rank's part: of the difference to what is expected, and of that itself.
struct ErrorSums {
  double difference = 0;
  double expected = 0;
};

template <class T>
ErrorSums spectrum_error(const std::vector<Axis>& axes, std::span<const std::complex<T>> part);

// The relative L2 error over all ranks. Collective.
double relative_error(Transport& transport, const ErrorSums& mine);

// What a correct transform of N points stays below.
double error_bound(Index points, Precision precision);

}  // namespace kallima::cli
