#pragma once
// The definition of the discrete Fourier transform, summed term by term in long double: slow, and right.

#include <complex>
#include <vector>

#include "kallima/layout.hpp"
#include "kallima/problem.hpp"

namespace kallima {

using Exact = std::complex<long double>;

// `count` numbers that are exact in single precision, too: the first ones of a sequence that `seed` stands for.
std::vector<Exact> random_values(Index count, unsigned seed);

// All of order n, kept for each n: the reference stays where it is.
const std::vector<Exact>& roots_of_unity(Index n, Direction direction);

// Where a rank's elements stand in the global array, counted row by row.
std::vector<std::size_t> places_of(const Layout& layout, int rank);

double norm_of(const std::vector<Exact>& values);

std::vector<Exact> reference_dft(const Problem& asked, std::vector<Exact> data, Direction direction);

}  // namespace kallima
