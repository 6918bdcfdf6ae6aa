// What a rank owns is the product of what it owns in each dimension, for a grid of Distributions as for boxes. A rank's
// elements form a row-major array of its own. Ranks beyond a grid own nothing.

#include "kallima/layout.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "base/check.hpp"

namespace kallima {
namespace {

int grid_size(const std::vector<Distribution>& dims, int ranks) {
  Index size = 1;
  for (const auto& d : dims) {
    require(d.parts() <= ranks / size,
            "the grid needs more than the {} ranks there are (dimension {}) use a smaller grid", ranks, d.text());
    size *= d.parts();
  }
  return static_cast<int>(size);
}

void check_elements(const Shape& shape) {
  Index size = 1;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    require(shape[k] <= std::numeric_limits<Index>::max() / size,
            "the shape has too many elements to count (their number exceeds {} at extent {} of dimension {}) use "
            "smaller extents",
            std::numeric_limits<Index>::max(), shape[k], k);
    size *= shape[k];
  }
}

Index product(const Shape& shape) { return std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>()); }

// One number of each.
Shape shape_of(const auto& items, const auto& number) {
  Shape all;
  for (const auto& item : items) all.push_back(std::invoke(number, item));
  return all;
}

Shape unravel(Index t, const Shape& shape) {
  Shape place(shape.size());
  for (std::size_t k = shape.size(); k-- > 0; t /= shape[k]) place[k] = t % shape[k];
  return place;
}

void check_rank(int rank, int ranks) {
  require(rank >= 0 && rank < ranks, "there is no rank {} (the layout is over {}) use 0 to {}", rank, ranks, ranks - 1);
}

std::string text_of(const Box& box) {
  std::string parts;
  for (std::size_t k = 0; k < box.begin.size(); ++k)
    parts += fmt::format("{}{}..{}", k == 0 ? "" : ",", box.begin[k], box.end[k]);
  return parts;
}

bool meet(const Box& a, const Box& b) {
  for (std::size_t k = 0; k < a.begin.size(); ++k)
    if (a.end[k] <= b.begin[k] || b.end[k] <= a.begin[k]) return false;
  return true;
}

bool is_empty(const Box& box) { return !meet(box, box); }

Index volume(const Box& box) {
  Index size = 1;
  for (std::size_t k = 0; k < box.begin.size(); ++k) size *= box.end[k] - box.begin[k];
  return size;
}

void check_box(const Box& box, std::size_t rank, const Shape& shape) {
  require(box.begin.size() == shape.size() && box.end.size() == shape.size(),
          "the box of rank {} has {} and {} numbers, but the array has {} dimensions", rank, box.begin.size(),
          box.end.size(), shape.size());
  if (is_empty(box)) return;
  for (std::size_t k = 0; k < shape.size(); ++k)
    require(box.begin[k] >= 0 && box.end[k] <= shape[k],
            "the box {} of rank {} reaches outside dimension {} of {} elements", text_of(box), rank, k, shape[k]);
}

void check_partition(const std::vector<Box>& boxes, const Shape& shape) {
  Index covered = 0;
  for (std::size_t a = 0; a < boxes.size(); ++a) {
    check_box(boxes[a], a, shape);
    if (is_empty(boxes[a])) continue;
    covered += volume(boxes[a]);
    for (std::size_t b = 0; b < a; ++b)
      require(is_empty(boxes[b]) || !meet(boxes[a], boxes[b]),
              "the boxes of ranks {} ({}) and {} ({}) overlap: each element has one owner", b, text_of(boxes[b]), a,
              text_of(boxes[a]));
  }
  require(covered == product(shape), "the boxes hold {} of the array's {} elements: each element needs an owner",
          covered, product(shape));
}

Layout on_grid(const Shape& shape, const Shape& grid, int ranks, Distribution (*deal)(Index, Index)) {
  require(shape.size() == grid.size(), "a grid of {} dimensions does not fit a shape of {}", grid.size(), shape.size());
  std::vector<Distribution> dims;
  for (std::size_t k = 0; k < shape.size(); ++k) dims.push_back(deal(shape[k], grid[k]));
  return {std::move(dims), ranks};
}

}  // namespace

Layout::Layout(std::vector<Distribution> dims, int ranks)
    : shape_(shape_of(dims, &Distribution::extent)), dims_(std::move(dims)), ranks_(ranks) {
  require(!dims_.empty(), "a layout needs at least one dimension (it was given none)");
  require(ranks >= 1, "cannot lay out over {} ranks (at least one must own the elements)", ranks);
  check_elements(shape_);
  active_ = grid_size(dims_, ranks);
}

Layout Layout::blocks(const Shape& shape, const Shape& grid, int ranks) {
  return on_grid(shape, grid, ranks, Distribution::block);
}

Layout Layout::cyclic(const Shape& shape, const Shape& grid, int ranks) {
  return on_grid(shape, grid, ranks, Distribution::cyclic);
}

Layout Layout::slabs(const Shape& shape, int ranks, std::size_t axis, Index block) {
  require(axis < shape.size(), "there is no axis {} to cut into slabs (the array has {} dimensions)", axis,
          shape.size());
  require(ranks >= 1, "cannot lay out over {} ranks (at least one must own the elements)", ranks);
  const Index n = shape[axis];
  const Index each = block > 0 ? block : (n + ranks - 1) / ranks;
  require(block >= 0 && each >= (n + ranks - 1) / ranks, "slabs of {} on {} ranks do not hold the {} of axis {}", block,
          ranks, n, axis);
  std::vector<Box> all;
  for (Index rank = 0; rank < ranks; ++rank) {
    Box& box = all.emplace_back(Box{Shape(shape.size(), 0), shape});
    box.begin[axis] = std::min(n, rank * each);
    box.end[axis] = std::min(n, (rank + 1) * each);
  }
  return boxes(shape, std::move(all));
}

Layout Layout::boxes(const Shape& shape, std::vector<Box> boxes) {
  require(!shape.empty(), "a layout needs at least one dimension (it was given none)");
  require(!boxes.empty(), "cannot lay out over 0 ranks (at least one must own the elements)");
  for (std::size_t k = 0; k < shape.size(); ++k)
    require(shape[k] >= 1, "dimension {} has extent {}: extents must be at least 1", k, shape[k]);
  check_elements(shape);
  check_partition(boxes, shape);
  Layout layout(static_cast<int>(boxes.size()), shape);
  for (Box& box : boxes) {
    if (is_empty(box))
      box = {Shape(shape.size(), 0), Shape(shape.size(), 0)};  // of which there is one only, and lengths of at least 0
    else
      ++layout.active_;
  }
  layout.boxes_ = std::move(boxes);
  return layout;
}

Shape Layout::grid() const { return shape_of(dims_, &Distribution::parts); }

std::vector<Progression> Layout::owned(int rank) const {
  check_rank(rank, ranks_);
  std::vector<Progression> owned(shape_.size());
  if (is_grid()) {
    if (rank >= active_) return owned;
    const Shape place = coordinates(rank);
    for (std::size_t k = 0; k < owned.size(); ++k) owned[k] = dims_[k].owned(place[k]);
  } else {
    const Box& box = boxes_[at(rank)];
    for (std::size_t k = 0; k < owned.size(); ++k) owned[k] = {box.begin[k], 1, box.end[k] - box.begin[k]};
  }
  const bool empty = std::ranges::any_of(owned, [](const Progression& p) { return p.count <= 0; });
  return empty ? std::vector<Progression>(shape_.size()) : owned;
}

int Layout::owner(std::span<const Index> j) const {
  require(j.size() == shape_.size(), "an index of {} numbers was given to a layout of {} dimensions", j.size(),
          shape_.size());
  if (!is_grid()) {
    Box one{Shape(j.begin(), j.end()), Shape(j.begin(), j.end())};
    for (Index& end : one.end) ++end;
    const auto holds = [&](const Box& box) { return !is_empty(box) && meet(box, one); };
    const auto found = std::ranges::find_if(boxes_, holds);
    require(found != boxes_.end(), "there is no element {} in a layout of {}", text_of(one), text());
    return static_cast<int>(found - boxes_.begin());
  }
  Index rank = 0;
  for (std::size_t k = 0; k < dims_.size(); ++k) rank = rank * dims_[k].parts() + dims_[k].owner(j[k]);
  return static_cast<int>(rank);
}

Index Layout::local_index(std::span<const Index> j) const {
  const std::vector<Progression> mine = owned(owner(j));
  Index t = 0;
  for (std::size_t k = 0; k < mine.size(); ++k) t = t * mine[k].count + (j[k] - mine[k].first) / mine[k].step;
  return t;
}

Shape Layout::global_index(int rank, Index t) const {
  const std::vector<Progression> mine = owned(rank);
  const Shape here = shape_of(mine, &Progression::count);
  require(t >= 0 && t < product(here), "rank {} has no local index {} (it owns {} elements)", rank, t, product(here));
  Shape j = unravel(t, here);
  for (std::size_t k = 0; k < j.size(); ++k) j[k] = mine[k].first + mine[k].step * j[k];
  return j;
}

Shape Layout::local_shape(int rank) const { return shape_of(owned(rank), &Progression::count); }
Index Layout::local_size(int rank) const { return product(local_shape(rank)); }

Shape Layout::coordinates(int rank) const {
  check_rank(rank, active_);
  return unravel(rank, grid());
}

std::string Layout::text() const {
  std::string parts;
  if (is_grid())
    for (const auto& d : dims_) parts += fmt::format("{}[{}]", parts.empty() ? "" : " x ", d.text());
  else
    parts = fmt::format("{} in boxes", fmt::join(shape_, "x"));
  const std::string idle = active_ < ranks_ ? fmt::format(", {} of them idle", ranks_ - active_) : "";
  return fmt::format("{} on {} rank{}{}", parts, ranks_, ranks_ == 1 ? "" : "s", idle);
}

std::string describe(const Layout& layout) {
  if (layout.is_grid()) return layout.text();
  std::string boxes = "boxes";
  for (int rank = 0; rank < layout.ranks(); ++rank)
    for (const Progression& p : layout.owned(rank)) boxes += fmt::format(" {}+{}", p.first, p.count);
  return boxes;
}

std::optional<std::vector<Progression>> intersection(const Layout& x, int a, const Layout& y, int b) {
  require(x.shape() == y.shape(), "cannot intersect layouts of different shapes ({} and {})", x.text(), y.text());
  const std::vector<Progression> ours = x.owned(a), theirs = y.owned(b);
  std::vector<Progression> shared;
  for (std::size_t k = 0; k < ours.size(); ++k) {
    shared.push_back(intersection(ours[k], theirs[k]));
    if (shared.back().count == 0) return std::nullopt;
  }
  return shared;
}

}  // namespace kallima
