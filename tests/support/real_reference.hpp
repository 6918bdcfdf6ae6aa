#pragma once
// The definitions of the transforms of reals, as FFTW's manual has them, as a matrix of long doubles.

#include "reference.hpp"

namespace kallima {

// What multiplies input j in output k of a cosine or sine transform of n reals. Angles are fractions of whole turns, so
// that all are found among roots of unity: (2j + 1) / 2 times y / n half turns are (2j + 1) y / (4 n) turns.
inline long double r2r_weight(Kind kind, Index n, Index j, Index k) {
  const auto turn = [](Index numerator, Index denominator) -> const Exact& {
    return roots_of_unity(denominator, Direction::backward)[static_cast<std::size_t>(numerator % denominator)];
  };
  const bool first = j == 0, last = j == n - 1;
  const Index x = 2 * j + 1, y = 2 * k + 1;
  switch (kind) {
    case Kind::dct1:
      return (first || last ? 1 : 2) * turn(j * k, 2 * (n - 1)).real();
    case Kind::dct2:
      return 2 * turn(x * k, 4 * n).real();
    case Kind::dct3:
      return (first ? 1 : 2) * turn(j * y, 4 * n).real();
    case Kind::dct4:
      return 2 * turn(x * y, 8 * n).real();
    case Kind::dst1:
      return 2 * turn((j + 1) * (k + 1), 2 * (n + 1)).imag();
    case Kind::dst2:
      return 2 * turn(x * (k + 1), 4 * n).imag();
    case Kind::dst3:
      return (last ? 1 : 2) * turn((j + 1) * y, 4 * n).imag();
    default:  // dst4
      return 2 * turn(x * y, 8 * n).imag();
  }
}

// A line of n reals (their imaginary parts are not looked at) or, of half_to_real, of n/2+1 complex numbers, to what
// `kind` makes of it. Cosine and sine transforms take real and imaginary parts alike.
// Every step-th element of the result, to save time.
inline std::vector<Exact> reference_line(Kind kind, Index n, const std::vector<Exact>& line, Index step = 1) {
  const auto at = [](Index i) { return static_cast<std::size_t>(i); };
  std::vector<Exact> result;
  if (kind == Kind::real_to_half) {
    const std::vector<Exact>& roots = roots_of_unity(n, Direction::forward);
    for (Index k = 0; k <= n / 2; k += step) {
      Exact sum = 0;
      for (Index j = 0; j < n; ++j) sum += line[at(j)].real() * roots[at(j * k % n)];
      result.push_back(sum);
    }
  } else if (kind == Kind::half_to_real) {
    const std::vector<Exact>& roots = roots_of_unity(n, Direction::backward);
    for (Index j = 0; j < n; j += step) {
      long double sum = line[0].real();
      for (Index k = 1; 2 * k < n; ++k) {
        const Exact &x = line[at(k)], &w = roots[at(j * k % n)];
        sum += 2 * (x.real() * w.real() - x.imag() * w.imag());
      }
      if (n % 2 == 0) sum += line[at(n / 2)].real() * (j % 2 == 0 ? 1 : -1);
      result.emplace_back(sum);
    }
  } else {
    for (Index k = 0; k < n; k += step) {
      Exact sum = 0;
      for (Index j = 0; j < n; ++j) sum += line[at(j)] * r2r_weight(kind, n, j, k);
      result.push_back(sum);
    }
  }
  return result;
}

}  // namespace kallima
