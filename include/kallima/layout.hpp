#pragma once
// Which rank owns which global index. One dimension is dealt out by a Distribution: p parts in p/c groups, each group
// a block of consecutive indices, dealt cyclically to the c parts of the group. Block is c = 1, cyclic is c = p
// (Bisseling, Parallel Scientific Computation, section 3.4). A Layout is one Distribution per dimension over a
// row-major grid of ranks. Pure arithmetic, for any n >= 1 and p >= 1.

#include <optional>
#include <span>

#include "kallima/types.hpp"

namespace kallima {

// The indices first, first + step, ..., count of them.
struct Progression {
  Index first = 0;
  Index step = 1;
  Index count = 0;
  bool operator==(const Progression&) const = default;
};

class Distribution {
 public:
  static Distribution block(Index n, Index p);
  static Distribution cyclic(Index n, Index p);
  static Distribution group_cyclic(Index n, Index p, Index cycle);

  Index extent() const { return n_; }
  Index parts() const { return p_; }
  Index cycle() const { return c_; }

  Index owner(Index j) const;
  Index local_index(Index j) const;
  Index global_index(Index part, Index t) const;
  Index local_extent(Index part) const;
  Progression owned(Index part) const;  // all indices of one part, ascending

  std::string text() const;
  bool operator==(const Distribution&) const = default;

 private:
  Distribution(Index n, Index p, Index c) : n_(n), p_(p), c_(c) {}
  Index group_begin(Index group) const;

  Index n_;
  Index p_;
  Index c_;
};

class Layout {
 public:
  // `ranks` may exceed the grid's size; the ranks beyond it own nothing.
  Layout(std::vector<Distribution> dims, int ranks);

  const std::vector<Distribution>& dims() const { return dims_; }
  int ranks() const { return ranks_; }
  int active_ranks() const { return active_; }  // the size of the grid
  Shape shape() const;
  Shape grid() const;

  int owner(std::span<const Index> j) const;
  Index local_index(std::span<const Index> j) const;  // offset in the owner's row-major local array
  Shape global_index(int rank, Index t) const;        // its inverse
  Shape local_shape(int rank) const;                  // all zeros for a rank that owns nothing
  Index local_size(int rank) const;
  Shape coordinates(int rank) const;  // place in the grid; rank < active_ranks()

  std::string text() const;
  bool operator==(const Layout&) const = default;

 private:
  std::vector<Distribution> dims_;
  int ranks_;
  int active_;
};

// What part a of x and part b of y both own, as global indices.
Progression intersection(const Distribution& x, Index a, const Distribution& y, Index b);

// The same per dimension for two ranks of two layouts of one shape; nothing when they share no element.
std::optional<std::vector<Progression>> intersection(const Layout& x, int a, const Layout& y, int b);

}  // namespace kallima
