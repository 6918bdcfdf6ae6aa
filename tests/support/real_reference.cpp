#include "real_reference.hpp"

namespace kallima {
namespace {

// Angles are fractions of whole turns, so that all are found among roots of unity, of this order: (2j + 1) / 2 times
// y / n half turns are (2j + 1) y / (4 n) turns.
Index order_of_roots(Kind kind, Index n) {
  if (kind == Kind::dct1 || kind == Kind::dst1) return 2 * (kind == Kind::dct1 ? n - 1 : n + 1);
  return kind == Kind::dct4 || kind == Kind::dst4 ? 8 * n : 4 * n;
}

// What multiplies input j in output k of a cosine or sine transform of n reals.
long double r2r_weight(Kind kind, Index n, Index j, Index k, const std::vector<Exact>& roots) {
  const auto turn = [&](Index part) { return roots[static_cast<std::size_t>(part) % roots.size()]; };
  const bool first = j == 0, last = j == n - 1;
  const Index x = 2 * j + 1, y = 2 * k + 1;
  switch (kind) {
    case Kind::dct1:
      return (first || last ? 1 : 2) * turn(j * k).real();
    case Kind::dct2:
      return 2 * turn(x * k).real();
    case Kind::dct3:
      return (first ? 1 : 2) * turn(j * y).real();
    case Kind::dct4:
      return 2 * turn(x * y).real();
    case Kind::dst1:
      return 2 * turn((j + 1) * (k + 1)).imag();
    case Kind::dst2:
      return 2 * turn(x * (k + 1)).imag();
    case Kind::dst3:
      return (last ? 1 : 2) * turn((j + 1) * y).imag();
    default:  // dst4
      return 2 * turn(x * y).imag();
  }
}

}  // namespace

std::vector<Exact> reference_line(Kind kind, Index n, const std::vector<Exact>& line, Index step) {
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
    const std::vector<Exact>& roots = roots_of_unity(order_of_roots(kind, n), Direction::backward);
    for (Index k = 0; k < n; k += step) {
      Exact sum = 0;
      for (Index j = 0; j < n; ++j) sum += line[at(j)] * r2r_weight(kind, n, j, k, roots);
      result.push_back(sum);
    }
  }
  return result;
}

}  // namespace kallima
