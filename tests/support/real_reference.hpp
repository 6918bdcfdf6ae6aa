#pragma once
// The definitions of the transforms of reals, as FFTW's manual has them, as a matrix of long doubles.

#include "reference.hpp"

namespace kallima {

// What multiplies input j in output k of a cosine or sine transform of n reals.
inline long double r2r_weight(Kind kind, Index n, Index j, Index k) {
  const auto turn = [](long double numerator, Index denominator) {
    return std::numbers::pi_v<long double> * numerator / static_cast<long double>(denominator);
  };
  const auto x = static_cast<long double>(j), y = static_cast<long double>(k);
  const bool first = j == 0, last = j == n - 1;
  switch (kind) {
    case Kind::dct1:
      return (first || last ? 1 : 2) * std::cos(turn(x * y, n - 1));
    case Kind::dct2:
      return 2 * std::cos(turn((x + 0.5L) * y, n));
    case Kind::dct3:
      return (first ? 1 : 2) * std::cos(turn(x * (y + 0.5L), n));
    case Kind::dct4:
      return 2 * std::cos(turn((x + 0.5L) * (y + 0.5L), n));
    case Kind::dst1:
      return 2 * std::sin(turn((x + 1) * (y + 1), n + 1));
    case Kind::dst2:
      return 2 * std::sin(turn((x + 0.5L) * (y + 1), n));
    case Kind::dst3:
      return (last ? 1 : 2) * std::sin(turn((x + 1) * (y + 0.5L), n));
    default:  // dst4
      return 2 * std::sin(turn((x + 0.5L) * (y + 0.5L), n));
  }
}

// A line of n reals (their imaginary parts are not looked at) or, of half_to_real, of n/2+1 complex numbers, to what
// `kind` makes of it. Cosine and sine transforms take real and imaginary parts alike.
// Every step-th element of the result, to save time.
inline std::vector<Exact> reference_line(Kind kind, Index n, const std::vector<Exact>& line, Index step = 1) {
  const auto at = [](Index i) { return static_cast<std::size_t>(i); };
  std::vector<Exact> result;
  if (kind == Kind::real_to_half) {
    const std::vector<Exact> roots = roots_of_unity(n, Direction::forward);
    for (Index k = 0; k <= n / 2; k += step) {
      Exact sum = 0;
      for (Index j = 0; j < n; ++j) sum += line[at(j)].real() * roots[at(j * k % n)];
      result.push_back(sum);
    }
  } else if (kind == Kind::half_to_real) {
    const std::vector<Exact> roots = roots_of_unity(n, Direction::backward);
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
