#pragma once
// The chirps of a Bluestein transform, with omega = exp(-2 pi i/modulus): element j of a line is multiplied by
// omega^((in + unit j)^2), element k of its result by the same with `out`, and between them stands a convolution with
// b[k - j], the conjugate of omega^(constant^2 + (between + unit d)^2) for d = k - j. What adds up to 2 j k in all may
// be dealt out to the three in several ways. It is so that b is the same in both directions from the middle of what is
// wanted of it: where there are fewer outputs than points the middle is not d = 0.

#include <vector>

#include "kallima/problem.hpp"

namespace kallima {

struct Chirp {
  Index modulus, unit = 1, in = 0, out = 0, between = 0, constant = 0;
  bool sine = false;  // the result is turned by a quarter: its real part is what the imaginary one would be

  // b[d] = b[-d - offset].
  Index offset() const { return 2 * between / unit; }
};

Chirp chirp_of(Kind kind, Index n, Index outputs);

// What of a line counts half, since it is its own mirror image, as outputs 0 and n/2 of half a spectrum do on the way
// back.
std::vector<Index> halved_elements(const Problem& problem, Direction direction);

}  // namespace kallima
