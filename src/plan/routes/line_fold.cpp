// The exchange between lines, laid out as the caller likes, and whole columns of their matrices: which cells of the two
// arrays a rank of the one and a rank of the other share.

#include "plan/exchange/axes.hpp"
#include "plan/routes/line.hpp"

namespace kallima {
namespace {

Progression within(const Progression& p, Index first, Index last) {
  return last < first ? Progression{} : intersection(p, {first, 1, last - first + 1});
}

// To the line each output goes once; to the matrix some go twice, as there are columns that mirror themselves.
std::vector<PointCell> rectangles(const Fold& fold, const SharedPoints& points, const SharedPoints& columns,
                                  bool to_matrix) {
  const Index width = fold.end == End::input ? fold.shape.Q : fold.shape.R;
  std::vector<PointCell> all = shared_points(points, columns, width);
  if (!fold.halved()) return all;
  const Index n = fold.shape.n();
  const Progression mirrors = to_matrix ? within(points.taken, 1, (n - 1) / 2) : points.taken;
  SharedPoints some = columns;
  if (!to_matrix) some.taken = within(some.taken, 1, (fold.shape.R - 1) / 2);
  const std::vector<PointCell> more = mirrored_points({points.owned, mirrors}, some, width, n);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// A rectangle of one line, for all lines. In the matrix the axis is two slots, of which columns are the second of the
// points and the first of the outputs, and always the fastest.
Cell cell_of(const Fold& fold, const PointCell& r, const Share& line, const Share& matrix) {
  const std::size_t axis = fold.shape.axis;
  const std::vector<Index> line_strides = strides_of(fold.storage, shape_of(line.owned));
  Shape seen = shape_of(line.owned);
  seen[axis] = matrix.owned[axis].count * matrix.owned[axis + 1].count;
  const std::vector<Index> matrix_strides = row_major(seen);
  Cell cell;
  cell.conjugated = r.conjugated;
  const Index a = line_strides[axis], b = matrix_strides[axis];
  Strided on_line{r.line.offset * a, {}}, on_matrix{r.matrix.offset * b, {}};
  for (std::size_t k = 0; k < seen.size(); ++k) {
    if (k == axis) {
      cell.extents.insert(cell.extents.end(), {r.rows, r.columns});
      on_line.strides.insert(on_line.strides.end(), {r.line.row * a, r.line.column * a});
      on_matrix.strides.insert(on_matrix.strides.end(), {r.matrix.row * b, r.matrix.column * b});
    } else {
      const Progression both = intersection(line.taken[k], matrix.taken[k < axis ? k : k + 1]);
      cell.extents.push_back(both.count);
      on_line.offset += both.first * line_strides[k];
      on_matrix.offset += both.first * matrix_strides[k];
      on_line.strides.push_back(line_strides[k]);
      on_matrix.strides.push_back(matrix_strides[k]);
    }
  }
  cell.from = std::move(on_line);
  cell.to = std::move(on_matrix);
  return cell;
}

std::vector<Cell> cells(const Fold& fold, const Share& line, const Share& matrix, bool to_matrix) {
  const std::size_t axis = fold.shape.axis, column = fold.end == End::input ? axis + 1 : axis;
  std::vector<Cell> all;
  for (const PointCell& r : rectangles(fold, {line.owned[axis], line.taken[axis]},
                                       {matrix.owned[column], matrix.taken[column]}, to_matrix)) {
    Cell cell = cell_of(fold, r, line, matrix);
    if (cell.count() == 0) continue;
    if (!to_matrix) std::swap(cell.from, cell.to);
    all.push_back(std::move(cell));
  }
  return all;
}

}  // namespace

CellsOf cells_to_matrix(const Fold& fold) {
  return [fold](const Share& from, const Share& to) { return cells(fold, from, to, true); };
}

CellsOf cells_from_matrix(const Fold& fold) {
  return [fold](const Share& from, const Share& to) { return cells(fold, to, from, false); };
}

}  // namespace kallima
