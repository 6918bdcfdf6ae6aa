// What ranks share between lines, laid out as the caller likes, and columns of their matrices or some rows of these. In
// a row of the matrix the points that a rank has are a progression of columns, and after step / gcd(step, width) rows
// the same columns come again: that many rectangles hold all rows that the points fill, and the first and the last row
// may have one of their own.

#include <algorithm>
#include <numeric>

#include "plan/exchange/axes.hpp"
#include "plan/routes/line.hpp"

namespace kallima {
namespace {

// Points of a line: all combinations of some rows and columns of its matrix, or their mirror images n - k, conjugated.
struct PointRectangle {
  Progression rows;
  Progression columns;
  bool mirrored = false;
};

Index last(const Progression& p) { return p.first + p.step * (p.count - 1); }

// Points that are in these columns of the matrix `width` wide.
std::vector<PointRectangle> rectangles(const Progression& points, const Progression& columns, Index width) {
  std::vector<PointRectangle> all;
  if (points.count == 0 || columns.count == 0) return all;
  const auto add = [&](const Progression& rows, Index left, Index right) {
    const Index distance = (points.first - rows.first * width - left) % points.step;
    const Index start = left + (distance < 0 ? distance + points.step : distance);
    if (start > right) return;
    const Progression here = intersection({start, points.step, (right - start) / points.step + 1}, columns);
    if (here.count > 0) all.push_back({rows, here});
  };
  const Index first = points.first / width, end = last(points) / width;
  const Index left = points.first % width, right = last(points) % width;
  if (first == end) {
    add({first, 1, 1}, left, right);
    return all;
  }
  const bool whole_first = left < points.step, whole_last = right + points.step >= width;
  if (!whole_first) add({first, 1, 1}, left, width - 1);
  const Index period = points.step / std::gcd(points.step, width);
  const Index begin = whole_first ? first : first + 1, stop = whole_last ? end + 1 : end;
  for (Index row = begin; row < std::min(begin + period, stop); ++row)
    add({row, period, (stop - row + period - 1) / period}, 0, width - 1);
  if (!whole_last) add({end, 1, 1}, 0, right);
  return all;
}

Progression within(const Progression& p, Index first, Index last) {
  return last < first ? Progression{} : intersection(p, {first, 1, last - first + 1});
}

// To the line each output goes once; to the matrix some go twice, as there are columns that mirror themselves.
std::vector<PointRectangle> rectangles(const Fold& fold, const Progression& points, const Progression& columns,
                                       bool to_matrix) {
  std::vector<PointRectangle> all = rectangles(points, columns, fold.width());
  if (!fold.halved()) return all;
  const Index n = fold.shape.n();
  const Progression some = to_matrix ? within(points, 1, (n - 1) / 2) : points;
  const Progression mirrors = some.count == 0 ? some : Progression{n - last(some), some.step, some.count};
  for (PointRectangle r :
       rectangles(mirrors, to_matrix ? columns : within(columns, 1, (fold.shape.R - 1) / 2), fold.width())) {
    r.mirrored = true;
    all.push_back(r);
  }
  return all;
}

// A rectangle of one line, for all lines, from the line to the matrix. There the axis is two slots, of which columns
// are the second of the points and the first of the outputs, and always the fastest.
Cell cell_of(const Fold& fold, const PointRectangle& r, const Share& line, const Share& matrix) {
  const std::size_t axis = fold.shape.axis;
  const Progression &points = line.owned[axis], &columns = matrix.owned[fold.columns()];
  const Progression& rows = matrix.owned[fold.rows()];
  const std::vector<Index> line_strides = strides_of(fold.storage, shape_of(line.owned));
  Shape seen = shape_of(matrix.owned);
  seen[axis] *= seen[axis + 1];
  seen.erase(seen.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
  const std::vector<Index> matrix_strides = row_major(seen);
  const Index row = r.rows.count > 1 ? r.rows.step : 0, column = r.columns.count > 1 ? r.columns.step : 0;
  const Index point = r.rows.first * fold.width() + r.columns.first, n = fold.shape.n();
  const Index a = line_strides[axis], b = matrix_strides[axis], sign = r.mirrored ? -1 : 1;
  Cell cell{.extents = {}, .conjugated = r.mirrored};
  cell.from.offset = ((r.mirrored ? n - point : point) - points.first) / points.step * a;
  cell.to.offset = ((r.rows.first - rows.first) * columns.count + (r.columns.first - columns.first) / columns.step) * b;
  for (std::vector<Index>* list : {&cell.extents, &cell.from.strides, &cell.to.strides}) list->reserve(seen.size() + 1);
  for (std::size_t k = 0; k < seen.size(); ++k) {
    const auto add = [&](Index extent, Index from, Index to) {
      cell.extents.push_back(extent);
      cell.from.strides.push_back(from);
      cell.to.strides.push_back(to);
    };
    if (k == axis) {
      add(r.rows.count, sign * row * fold.width() / points.step * a, row * columns.count * b);
      add(r.columns.count, sign * column / points.step * a, column / columns.step * b);
      continue;
    }
    const std::size_t slot = k < axis ? k : k + 1;
    const Progression both = intersection(line.taken[k], matrix.taken[slot]);
    add(both.count, line_strides[k], matrix_strides[k]);
    cell.from.offset += (both.first - line.owned[k].first) * line_strides[k];
    cell.to.offset += (both.first - matrix.owned[slot].first) * matrix_strides[k];
  }
  return cell;
}

}  // namespace

CellsOf cells_of(const Fold& fold, Way way) {
  return [fold, to_matrix = way == Way::to_matrix](const Share& from, const Share& to) {
    const Share &line = to_matrix ? from : to, &matrix = to_matrix ? to : from;
    std::vector<Cell> all;
    for (PointRectangle& r : rectangles(fold, line.taken[fold.shape.axis], matrix.taken[fold.columns()], to_matrix)) {
      r.rows = intersection(r.rows, matrix.taken[fold.rows()]);
      if (r.rows.count == 0) continue;
      Cell cell = cell_of(fold, r, line, matrix);
      if (cell.count() == 0) continue;
      if (!to_matrix) std::swap(cell.from, cell.to);
      all.push_back(std::move(cell));
    }
    return all;
  };
}

}  // namespace kallima
