#pragma once
// Which rank owns which global index. One dimension is dealt out by a Distribution: p parts in p/c groups, each group
// a block of consecutive indices, dealt cyclically to the c parts of the group. Block is c = 1, cyclic is c = p
// (Bisseling, Parallel Scientific Computation, section 3.4). A Layout is one Distribution per dimension over a
// row-major grid of ranks, or a list of one box per rank. Pure arithmetic, for any n >= 1 and p >= 1.

#include <optional>
#include <span>

#include "kallima/types.hpp"

namespace kallima {

// The indices first, first + step, ..., count of them.
struct Progression {
  Index first = 0, step = 1, count = 0;
  bool operator==(const Progression&) const = default;
};

class Distribution {
 public:
  static Distribution block(Index n, Index p) { return group_cyclic(n, p, 1); }
  static Distribution cyclic(Index n, Index p) { return group_cyclic(n, p, p); }
  static Distribution group_cyclic(Index n, Index p, Index cycle);

  Index extent() const { return n_; }
  Index parts() const { return p_; }
  Index cycle() const { return c_; }

  Index owner(Index j) const;
  Index local_index(Index j) const;
  Index global_index(Index part, Index t) const;
  Index local_extent(Index part) const { return owned(part).count; }
  Progression owned(Index part) const;  // all indices of one part, ascending

  std::string text() const;
  bool operator==(const Distribution&) const = default;

 private:
  Distribution(Index n, Index p, Index c) : n_(n), p_(p), c_(c) {}
  Index group_begin(Index group) const;

  Index n_, p_, c_;
};

// The indices begin[k] <= j[k] < end[k] of each dimension; empty where an end does not exceed its begin.
struct Box {
  Shape begin, end;
  bool operator==(const Box&) const = default;
};

class Layout {
 public:
  // `ranks` may exceed the grid's size; the ranks beyond it own nothing.
  Layout(std::vector<Distribution> dims, int ranks);

  static Layout blocks(const Shape& shape, const Shape& grid, int ranks);  // slabs, pencils, bricks
  static Layout cyclic(const Shape& shape, const Shape& grid, int ranks);
  // Slabs of `block` indices of one axis, the last ones shorter or empty; 0: n/ranks, rounded up, as FFTW-MPI does.
  static Layout slabs(const Shape& shape, int ranks, std::size_t axis = 0, Index block = 0);
  // One box for each rank; any of them may be empty, and together they hold every index once.
  static Layout boxes(const Shape& shape, std::vector<Box> boxes);

  bool is_grid() const { return boxes_.empty(); }
  const std::vector<Distribution>& dims() const { return dims_; }  // of a grid
  int ranks() const { return ranks_; }
  int active_ranks() const { return active_; }  // the size of the grid, or the number of boxes that are not empty
  const Shape& shape() const { return shape_; }
  Shape grid() const;  // of a grid

  int owner(std::span<const Index> j) const;
  Index local_index(std::span<const Index> j) const;  // offset in the owner's row-major local array
  Shape global_index(int rank, Index t) const;        // its inverse
  Shape local_shape(int rank) const;                  // all zeros for a rank that owns nothing
  Index local_size(int rank) const;
  // What the rank owns, per dimension: its elements are all combinations, row-major. All empty if it owns nothing.
  std::vector<Progression> owned(int rank) const;
  Shape coordinates(int rank) const;  // place in the grid; rank < active_ranks()

  std::string text() const;
  bool operator==(const Layout&) const = default;

 private:
  Layout(int ranks, Shape shape) : shape_(std::move(shape)), ranks_(ranks) {}

  Shape shape_;
  std::vector<Distribution> dims_;
  std::vector<Box> boxes_;  // empty for a grid
  int ranks_;
  int active_ = 0;
};

// What part a of x and part b of y both own, as global indices.
Progression intersection(const Distribution& x, Index a, const Distribution& y, Index b);

Progression intersection(const Progression& x, const Progression& y);

std::string describe(const Layout& layout);  // in full, unlike its text

// The same per dimension for two ranks of two layouts of one shape; nothing when they share no element.
std::optional<std::vector<Progression>> intersection(const Layout& x, int a, const Layout& y, int b);

// Layouts as text: block:4x2x1, cyclic:4x1x1 and group:4x6/2x1 (parts per dimension, and cycles) on a grid;
// slab or slab:AXIS, dealt out along one axis (0); pencil or pencil:AXIS, which leaves one axis whole (the last), and
// brick, both on the grid with the least surface; fftw or fftw:AXIS, FFTW-MPI's slabs (n/ranks, rounded up); boxes:FILE or boxes:[[[0,0],[2,3]],...], a begin and an end per rank.
// Throws Error saying what is wrong with the text, or why it does not fit shape and ranks.
Layout layout_from_text(const std::string& text, const Shape& shape, int ranks);
std::string layout_to_text(const Layout& layout);  // which layout_from_text() reads back

}  // namespace kallima
