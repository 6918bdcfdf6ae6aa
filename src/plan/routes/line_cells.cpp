// What a progression of points has in common with columns of a matrix. In a row of the matrix the points are a
// progression of columns, and after step / gcd(step, width) rows the same columns come again: that many cells hold all
// rows that the points fill, and the first and the last row may have a cell of their own.

#include <algorithm>
#include <numeric>

#include "plan/routes/line.hpp"

namespace kallima {
namespace {

Index last(const Progression& p) { return p.first + p.step * (p.count - 1); }

class Cells {
 public:
  Cells(const SharedPoints& line, const SharedPoints& columns, Index width)
      : line_(line), columns_(columns), width_(width) {}

  std::vector<PointCell> all() {
    const Progression& p = line_.taken;
    if (p.count == 0 || columns_.taken.count == 0) return {};
    const Index first = p.first / width_, end = last(p) / width_;
    const Index left = p.first % width_, right = last(p) % width_;
    if (first == end) {
      add(first, 1, 1, left, right);
      return std::move(cells_);
    }
    const bool whole_first = left < p.step, whole_last = right + p.step >= width_;
    if (!whole_first) add(first, 1, 1, left, width_ - 1);
    add_rows(whole_first ? first : first + 1, whole_last ? end + 1 : end);
    if (!whole_last) add(end, 1, 1, 0, right);
    return std::move(cells_);
  }

 private:
  void add_rows(Index begin, Index end) {
    const Index period = line_.taken.step / std::gcd(line_.taken.step, width_);
    for (Index row = begin; row < std::min(begin + period, end); ++row)
      add(row, (end - row + period - 1) / period, period, 0, width_ - 1);
  }

  // Of rows row, row + step, ... the points in columns left..right.
  void add(Index row, Index rows, Index step, Index left, Index right) {
    const Progression& p = line_.taken;
    const Index distance = (p.first - row * width_ - left) % p.step;
    const Index start = left + (distance < 0 ? distance + p.step : distance);
    if (start > right) return;
    const Progression here = intersection({start, p.step, (right - start) / p.step + 1}, columns_.taken);
    if (here.count == 0) return;
    const Index next = here.count > 1 ? here.step : 0;
    const Progression& owned = line_.owned;
    const Progression& minors = columns_.owned;
    PointCell& cell = cells_.emplace_back(PointCell{.rows = rows, .columns = here.count, .line = {}, .matrix = {}});
    cell.line = {(row * width_ + here.first - owned.first) / owned.step, step * width_ / owned.step, next / owned.step};
    cell.matrix = {row * minors.count + (here.first - minors.first) / minors.step, step * minors.count,
                   next / minors.step};
    if (rows == 1) cell.line.row = cell.matrix.row = 0;
  }

  const SharedPoints& line_;
  const SharedPoints& columns_;
  const Index width_;
  std::vector<PointCell> cells_;
};

Progression mirrored(const Progression& p, Index n) {
  return p.count == 0 ? p : Progression{n - last(p), p.step, p.count};
}

}  // namespace

std::vector<PointCell> shared_points(const SharedPoints& line, const SharedPoints& columns, Index width) {
  return Cells(line, columns, width).all();
}

std::vector<PointCell> mirrored_points(const SharedPoints& line, const SharedPoints& columns, Index width, Index n) {
  const SharedPoints image{mirrored(line.owned, n), mirrored(line.taken, n)};
  std::vector<PointCell> cells = Cells(image, columns, width).all();
  for (PointCell& cell : cells) {
    cell.line = {line.owned.count - 1 - cell.line.offset, -cell.line.row, -cell.line.column};
    cell.conjugated = true;
  }
  return cells;
}

}  // namespace kallima
