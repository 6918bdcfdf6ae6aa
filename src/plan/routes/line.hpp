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

// Which end of the transform a line is.
enum class End { input, output };

// An array whose lines are laid out as the caller likes, against the columns of their matrix. Of real data the matrix
// of outputs has half of its columns, and what is not there is the conjugate of what is.
struct Fold {
  LineShape shape;
  End end;
  Storage storage;  // of the lines
  bool halved() const { return end == End::output && shape.data == Data::real_; }
  Index width() const { return end == End::input ? shape.Q : shape.R; }                    // of the matrix
  std::size_t columns() const { return end == End::input ? shape.axis + 1 : shape.axis; }  // the slot of these
  std::size_t rows() const { return end == End::input ? shape.axis : shape.axis + 1; }     // and that of rows
};

// What ranks share on the way to the matrix or from it.
enum class Way { to_matrix, from_matrix };
CellsOf cells_of(const Fold& fold, Way way);

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
  double seconds = 0;
};

// The cheapest, for a checked problem whose one long axis `shape` names; its length is not prime.
LineChoice choose_line(const Problem& problem, const LineShape& shape, int ranks, const PlanOptions& options);

std::vector<Index> divisors(Index n);

}  // namespace kallima
