// A Layout is one Distribution per dimension over a row-major grid of ranks: everything about it is the product of what
// holds in each dimension. A rank's elements form a row-major array of its own. Ranks beyond the grid own nothing.

#include "kallima/layout.hpp"

#include <limits>

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

void check_elements(const std::vector<Distribution>& dims) {
  Index size = 1;
  for (const auto& d : dims) {
    require(d.extent() <= std::numeric_limits<Index>::max() / size,
            "the shape has too many elements to count (their number exceeds {} at dimension {}) use smaller extents",
            std::numeric_limits<Index>::max(), d.text());
    size *= d.extent();
  }
}

Index product(const Shape& shape) {
  Index size = 1;
  for (const Index n : shape) size *= n;
  return size;
}

Shape unravel(Index t, const Shape& shape) {
  Shape place(shape.size());
  for (std::size_t k = shape.size(); k-- > 0; t /= shape[k]) place[k] = t % shape[k];
  return place;
}

void check_rank(int rank, int ranks) {
  require(rank >= 0 && rank < ranks, "there is no rank {} (the layout is over {}) use 0 to {}", rank, ranks, ranks - 1);
}

void check_dimensions(std::size_t given, std::size_t dims) {
  require(given == dims, "an index of {} numbers was given to a layout of {} dimensions", given, dims);
}

}  // namespace

Layout::Layout(std::vector<Distribution> dims, int ranks) : dims_(std::move(dims)), ranks_(ranks), active_(0) {
  require(!dims_.empty(), "a layout needs at least one dimension (it was given none)");
  require(ranks >= 1, "cannot lay out over {} ranks (at least one must own the elements)", ranks);
  check_elements(dims_);
  active_ = grid_size(dims_, ranks);
}

Shape Layout::shape() const {
  Shape extents;
  for (const auto& d : dims_) extents.push_back(d.extent());
  return extents;
}

Shape Layout::grid() const {
  Shape parts;
  for (const auto& d : dims_) parts.push_back(d.parts());
  return parts;
}

int Layout::owner(std::span<const Index> j) const {
  check_dimensions(j.size(), dims_.size());
  Index rank = 0;
  for (std::size_t k = 0; k < dims_.size(); ++k) rank = rank * dims_[k].parts() + dims_[k].owner(j[k]);
  return static_cast<int>(rank);
}

Index Layout::local_index(std::span<const Index> j) const {
  check_dimensions(j.size(), dims_.size());
  Index t = 0;
  for (std::size_t k = 0; k < dims_.size(); ++k)
    t = t * dims_[k].local_extent(dims_[k].owner(j[k])) + dims_[k].local_index(j[k]);
  return t;
}

Shape Layout::global_index(int rank, Index t) const {
  const Shape local = local_shape(rank);
  const Index size = product(local);
  require(t >= 0 && t < size, "rank {} has no local index {} (it owns {} elements)", rank, t, size);
  const Shape place = coordinates(rank);
  Shape j = unravel(t, local);
  for (std::size_t k = 0; k < j.size(); ++k) j[k] = dims_[k].global_index(place[k], j[k]);
  return j;
}

Shape Layout::local_shape(int rank) const {
  check_rank(rank, ranks_);
  const Shape nothing(dims_.size(), 0);
  if (rank >= active_) return nothing;
  Shape extents = coordinates(rank);
  for (std::size_t k = 0; k < extents.size(); ++k) extents[k] = dims_[k].local_extent(extents[k]);
  return product(extents) > 0 ? extents : nothing;
}

Index Layout::local_size(int rank) const { return product(local_shape(rank)); }

Shape Layout::coordinates(int rank) const {
  check_rank(rank, active_);
  return unravel(rank, grid());
}

std::string Layout::text() const {
  std::string parts;
  for (const auto& d : dims_) parts += fmt::format("{}[{}]", parts.empty() ? "" : " x ", d.text());
  const std::string idle = active_ < ranks_ ? fmt::format(", {} of them idle", ranks_ - active_) : "";
  return fmt::format("{} on {} rank{}{}", parts, ranks_, ranks_ == 1 ? "" : "s", idle);
}

std::optional<std::vector<Progression>> intersection(const Layout& x, int a, const Layout& y, int b) {
  require(x.shape() == y.shape(), "cannot intersect layouts of different shapes ({} and {})", x.text(), y.text());
  check_rank(a, x.ranks());
  check_rank(b, y.ranks());
  if (a >= x.active_ranks() || b >= y.active_ranks()) return std::nullopt;
  const Shape pa = x.coordinates(a), pb = y.coordinates(b);
  std::vector<Progression> shared;
  for (std::size_t k = 0; k < pa.size(); ++k) {
    shared.push_back(intersection(x.dims()[k], pa[k], y.dims()[k], pb[k]));
    if (shared.back().count == 0) return std::nullopt;
  }
  return shared;
}

}  // namespace kallima
