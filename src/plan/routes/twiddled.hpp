#pragma once
// Axes that are dealt out while they are transformed. An axis of n = f_0 f_1 ... f_T points is seen as T + 1 slots: the
// input's number is made of its indices with the last factor fastest, the output's with the first. After the transform
// of one slot its outputs are multiplied by twiddle factors for all slots that are not done yet (Gentleman and Sande),
// and between two of them an exchange makes the next slot whole.

#include "plan/routes/path_plan.hpp"

namespace kallima {

// How one axis of a cyclic layout is transformed.
struct FactoredAxis {
  std::vector<Index> factors;  // empty: it is whole, and one slot
  Index parts = 1;             // of the layout
};

struct TwiddledStatement {
  Problem problem;                 // checked
  std::vector<FactoredAxis> axes;  // one for each dimension of the spectrum
  int ranks = 1;
};

// From what the caller has to what he wants: an exchange before if his array lies elsewhere, then what has to be done
// along axes that are whole (cosines, sines, the axis of real data that is halved), and an exchange to where the result
// shall be. `cyclic` is the layout of the spectrum that the factors are for.
Paths twiddled_paths(const TwiddledStatement& statement, const Layout& cyclic, Layout& in, Layout& out);

// Whether transforms besides Fourier's are along axes that this layout holds whole.
bool leaves_whole(const Problem& problem, const Shape& grid);

// The axes that are transformed as complex numbers, and the shape they have then.
Problem complex_part(const Problem& problem);

}  // namespace kallima
