#pragma once
// A line of n = R * Q points as a matrix. Point j = w * Q + v is row w, column v; output k = b * R + a is row b, column
// a of another one. Ranks hold whole columns of either: a transform along the columns of the first, twiddle factors
// omega_n^(a * v), and a transform along those of the second make the transform of the line. The array may be several
// such lines, as outer x line x inner.

#include "plan/routes/path_plan.hpp"

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

// Some of the points, or columns, that a rank owns.
struct SharedPoints {
  Progression owned;
  Progression taken;
};

// Points that are in a line and in columns of its matrix: `rows` times `columns` of them, at these positions of the two
// local arrays, the matrix being row-major.
struct PointCell {
  struct Position {
    Index offset = 0;
    Index row = 0;  // strides
    Index column = 0;
  };
  Index rows = 0;
  Index columns = 0;
  Position line;
  Position matrix;
  bool conjugated = false;
  Index count() const { return rows * columns; }
};

// All points that a rank takes of a line and another one takes of the columns of the matrix `width` wide, in few
// rectangles.
std::vector<PointCell> shared_points(const SharedPoints& line, const SharedPoints& columns, Index width);

// The same for points whose mirror images n - k the line has, conjugated.
std::vector<PointCell> mirrored_points(const SharedPoints& line, const SharedPoints& columns, Index width, Index n);

// Which end of the transform a line is.
enum class End { input, output };

// An array whose lines are laid out as the caller likes, against the columns of their matrix. Of real data the matrix
// of outputs has half of its columns, and what is not there is the conjugate of what is.
struct Fold {
  LineShape shape;
  End end;
  Storage storage;  // of the lines
  bool halved() const { return end == End::output && shape.data == Data::real_; }
};

// What ranks share on the way to the matrix or from it.
CellsOf cells_to_matrix(const Fold& fold);
CellsOf cells_from_matrix(const Fold& fold);

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
