#include "app/orthonormal.hpp"

#include <cmath>
#include <numbers>

namespace kallima::cli {
namespace {

Kind done_along(const Problem& problem, std::size_t dim, Direction direction) {
  const Kind kind = kind_of(problem, dim);
  return direction == Direction::forward ? kind : inverse(kind);
}

// Which of n elements are at an edge, in the sense above.
std::vector<Index> edges_of(Kind kind, Edge edge, Index n) {
  const bool before = edge == Edge::before;
  if (kind == Kind::dct1) return n > 1 ? std::vector<Index>{0, n - 1} : std::vector<Index>{0};
  if (kind == (before ? Kind::dct3 : Kind::dct2)) return {0};
  if (kind == (before ? Kind::dst3 : Kind::dst2)) return {n - 1};
  return {};
}

// Local index `place` of dimension `dim` in an array of these extents.
template <class Item>
void scale_plane(std::span<Item> part, const Shape& extents, std::size_t dim, Index place, double factor) {
  Index inner = 1;
  for (std::size_t k = dim + 1; k < extents.size(); ++k) inner *= extents[k];
  for (Index begin = place * inner; begin < std::ssize(part); begin += extents[dim] * inner)
    for (Index i = 0; i < inner; ++i) part[at(begin + i)] *= static_cast<decltype(std::abs(Item()))>(factor);
}

}  // namespace

template <class Item>
void scale_edges(const Problem& problem, Direction direction, Edge edge, const Layout& layout, int rank,
                 std::span<Item> part) {
  const double factor = edge == Edge::before ? std::numbers::sqrt2 : 1 / std::numbers::sqrt2;
  const std::vector<Progression> owned = layout.owned(rank);
  for (std::size_t dim = 0; dim < owned.size() && !part.empty(); ++dim) {
    if (!transforms(problem, dim)) continue;
    for (const Index j : edges_of(done_along(problem, dim, direction), edge, layout.shape()[dim])) {
      const Progression& mine = owned[dim];
      const Index place = (j - mine.first) / mine.step;
      if (j >= mine.first && (j - mine.first) % mine.step == 0 && place < mine.count)
        scale_plane(part, layout.local_shape(rank), dim, place, factor);
    }
  }
}

template void scale_edges(const Problem&, Direction, Edge, const Layout&, int, std::span<float>);
template void scale_edges(const Problem&, Direction, Edge, const Layout&, int, std::span<double>);
template void scale_edges(const Problem&, Direction, Edge, const Layout&, int, std::span<std::complex<float>>);
template void scale_edges(const Problem&, Direction, Edge, const Layout&, int, std::span<std::complex<double>>);

}  // namespace kallima::cli
