#pragma once
// Products by floating-point transforms, whose results are rounded to whole numbers. Of digits between -2^(b-1) and
// 2^(b-1) the coefficients of a product are sums of terms with both signs, and so are rounding errors; the more bits a
// digit has, the fewer points there are, and the nearer errors come to one half. How near is seen when it has been
// done, and the product is then checked modulo a prime: these widths are a bet that is lost rarely, not a proof.
//
// A number's digits are 2 n reals, of which n complex points are made: digit j and digit j + n, as a root of x^n = i
// has it (the right-angle convolution of Crandall and Fagin 1994). So nothing is transformed that is not needed.

#include <optional>

#include "plan/routes/coprime.hpp"

namespace kallima {

struct RoundingPlan {
  int bits = 16;                                // of a digit
  CoprimeShape shape;                           // of n points
  Index rows() const { return 2 * shape.R(); }  // of digits: those that become real parts, then the others
  Index row_words() const { return shape.Q * bits / 64; }
  Index block_words() const { return shape.block * bits / 64; }
  Layout blocks(int ranks) const { return Layout::slabs({rows(), row_words()}, ranks, 0); }
  Layout columns(int ranks) const { return Layout::slabs({rows(), row_words()}, ranks, 1, block_words()); }
};

// The distance from whole numbers that is to be expected at most, of random digits.
double expected_distance(int bits, Index points);

// For factors of up to so many words; none where other ways are as good.
std::optional<RoundingPlan> plan_rounding(Index words_a, Index words_b, int ranks);

}  // namespace kallima
