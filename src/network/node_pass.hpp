#pragma once
// The kernel that hands lines to a node function: a pass that transforms lines runs the levels of their elements in a
// tile. Of lines whose elements are far apart a row of the tile is one element of many lines. Of a line whose elements
// are neighbours rows are its stretches, until these are as short as they are many: the last levels are those of the
// columns of small squares, which are transposed for it. Levels go on within each part before the next, so that most of
// them find their rows in the first cache. Which lines they are is what a twiddle factor would have to know, too, and
// the pass says it there.

#include <vector>

#include "kallima/backend.hpp"
#include "kallima/network.hpp"

namespace kallima {

// What a pass is told besides: the rows of the butterfly are numbered j * Q + v along columns, w * Q + j along rows.
struct NetworkShape {
  Index R, Q;
};

class NodePass final : public Kernel {
 public:
  NodePass(const NetworkShape& shape, const AnyNode& node, std::size_t bytes, const Pass& pass, std::size_t depth);
  std::size_t tile_bytes() const override;
  Ticket start(const KernelCall& call) const override;

 private:
  // Rows of `count` values each, in a tile.
  struct Rows {
    std::byte* tile = nullptr;
    std::size_t bytes = 0;         // of a row
    Index all = 0;                 // how many there are
    Index number = 0;              // the butterfly's row of the first value
    Index row_step = 0, step = 0;  // from row to row, and from neighbour to neighbour
    Index count = 0;
    int skewed_by = 62;  // 2^skewed_by rows follow each other closely
  };

  Index size() const { return static_cast<Index>(bytes_); }
  bool elements_are_neighbours() const;
  static std::size_t place(const Rows& rows, Index row);
  Rows rows_of(std::byte* tile, Index line, Index lanes) const;
  void copy_lines(const KernelCall& call, Index line, Index lines) const;
  void start_line(const KernelCall& call, Index line) const;
  void start_lanes(const KernelCall& call, Index line, Index lanes) const;
  void run_levels(const Rows& rows, Index begin, Index length) const;
  void run_squares(const Rows& rows, std::byte* square, std::byte* out) const;
  void move_all(const KernelCall& call, const std::vector<Piece>& pieces, Index line, Index lanes, const auto& base_of,
                const auto& copy) const;
  void move_rows(const Rows& rows, const Piece& piece, auto* base, const auto& copy) const;
  template <std::size_t known>
  void move_values(const Rows& rows, const Piece& piece, auto* base, const std::vector<Index>& offsets,
                   const auto& copy) const;
  Index piece_offset(const KernelCall& call, const Piece& piece) const;
  Index line_offset(Index line, const Piece& piece) const;
  std::vector<Index> loops_of(Index line) const;
  Index number_of_line(Index line) const;
  Index butterfly_row(Index element, Index number) const;

  NetworkShape shape_;
  const AnyNode& node_;
  std::size_t bytes_;
  Pass pass_;
  std::size_t depth_;
  Index lines_;
  Index together_ = 1;
  bool copies_ = false;   // lines that are moved as they are
  bool by_line_ = false;  // a line whose elements are neighbours at a time
};

}  // namespace kallima
