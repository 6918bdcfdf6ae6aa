#pragma once
// A line of n = R * Q points as a matrix. Point j = w * Q + v is row w, column v; output k = b * R + a is row b, column
// a of another one. Ranks hold whole columns of either: a transform along the columns of the first, twiddle factors
// omega_n^(a * v), and a transform along those of the second make the transform of the line. The array may be several
// such lines, as outer x line x inner.

#include "plan/exchange/link.hpp"

namespace kallima {

struct LineShape {
  Index outer = 1;
  Index inner = 1;
  Index R = 1;
  Index Q = 1;
  Data data = Data::complex_;  // of the line
  std::size_t axis = 0;        // of the array, along which the lines are

  Index n() const { return R * Q; }
  // Of real data only these columns of the outputs are made: output n - k is the conjugate of output k.
  Index kept() const { return data == Data::real_ ? R / 2 + 1 : R; }
};

// Some of the points that a rank owns.
struct Share {
  Progression owned;
  Progression taken;
};

// Points that are in a line and in columns of its matrix: `rows` times `columns` of them, at these places of the two
// local arrays, the matrix being row-major.
struct Cell {
  struct Place {
    Index offset = 0;
    Index row = 0;  // strides
    Index column = 0;
  };
  Index rows = 0;
  Index columns = 0;
  Place line;
  Place matrix;
  bool conjugated = false;
  Index count() const { return rows * columns; }
};

// All points that a rank takes of a line and another one takes of the columns of the matrix `width` wide, in few cells.
std::vector<Cell> shared_cells(const Share& line, const Share& columns, Index width);

// The same for points whose mirror images n - k the line has, conjugated.
std::vector<Cell> mirrored_cells(const Share& line, const Share& columns, Index width, Index n);

// Which end of the transform a line is.
enum class End { input, output };

// From the line to its matrix (input) or from the matrix of outputs to theirs. Parts are cut of each rank's columns.
std::shared_ptr<const Link> fold_link(const LineShape& shape, End end, const Layout& line, const Layout& matrix,
                                      Index parts, Exchange exchange);

// From the matrix of points, in its columns, to that of outputs: two transforms and an exchange. `in` and `out` are
// what its ends are called, lines where these are laid out as the matrices are.
struct Turn {
  Layout columns_in;
  Layout columns_out;
  Index parts = 1;
  Exchange exchange = Exchange::views;
};
std::shared_ptr<const Link> turn_link(const LineShape& shape, const Turn& turn, Layout in, Layout out);

// The caller's two layouts, or what was chosen for them.
struct Ends {
  Layout in;
  Layout out;
};

// R and Q, the ends, and how columns are dealt out.
struct LineChoice {
  LineShape shape;
  Ends ends;
  Distribution columns_in;
  Distribution columns_out;
  bool folds_in;
  bool folds_out;
  bool images_only;  // what is not a mirror image is where it shall be; of two ranks, that is too
  double cost = 0;
};

// The cheapest, for a checked problem whose one long axis `shape` names; its length is not prime.
LineChoice choose_line(const Problem& problem, const LineShape& shape, int ranks, const PlanOptions& options);

std::vector<Index> divisors(Index n);
Index most_owned(const Layout& layout);  // by any rank

}  // namespace kallima
