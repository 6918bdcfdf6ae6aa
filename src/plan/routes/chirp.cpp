#include "plan/routes/chirp.hpp"

#include "kallima/spectrum.hpp"

namespace kallima {
namespace {

std::vector<Index> halved_elements(Kind kind, Index n) {
  if (kind == Kind::dct1) return {0, n - 1};
  if (kind == Kind::dct3) return {0};
  if (kind == Kind::dst3) return {n - 1};
  return {};
}

// exp(-pi i (j + a)(k + b)/m) is what cosines and sines are made of; in halves, a and b are whole.
Chirp of_halves(Index m, Index a, Index b, bool sine = false) {
  return {.modulus = 16 * m, .unit = 2, .in = a, .out = b, .between = b - a, .sine = sine};
}

}  // namespace

// Of others, 2 j k = (j + c)^2 + (k - c)^2 - (k - j - c)^2 - c^2 for any c, a half of a whole number, too.
Chirp chirp_of(Kind kind, Index n, Index outputs) {
  switch (kind) {
    case Kind::dct1:
      return of_halves(n - 1, 0, 0);
    case Kind::dct2:
      return of_halves(n, 1, 0);
    case Kind::dct3:
      return of_halves(n, 0, 1);
    case Kind::dct4:
      return of_halves(n, 1, 1);
    case Kind::dst1:
      return of_halves(n + 1, 2, 2, true);
    case Kind::dst2:
      return of_halves(n, 1, 2, true);
    case Kind::dst3:
      return of_halves(n, 2, 1, true);
    case Kind::dst4:
      return of_halves(n, 1, 1, true);
    default:
      if (outputs == n) return {.modulus = 2 * n};
      const Index twice = outputs - n;
      return {.modulus = 8 * n, .unit = 2, .in = twice, .out = -twice, .between = -twice, .constant = twice};
  }
}

std::vector<Index> halved_elements(const Problem& problem, Direction direction) {
  const bool forward = direction == Direction::forward;
  const Index n = problem.shape[0];
  const Kind kind = problem.kinds[0];
  if (kind != Kind::fourier) return halved_elements(forward ? kind : inverse(kind), n);
  if (forward || problem.data == Data::complex_) return {};
  return n % 2 == 0 ? std::vector<Index>{0, n / 2} : std::vector<Index>{0};
}

}  // namespace kallima
