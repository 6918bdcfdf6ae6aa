#pragma once
// The kernel that hands lines to a node function: a pass that transforms lines runs the levels of their elements in a
// tile. Of lines whose elements are far apart a row of the tile is one element of many lines, and goes to its place
// with the last levels. Of a line whose elements are neighbours the first levels go from where it is read to where it
// is written, the others are done there, and the last ones are those within stretches of 16. Which lines they are is
// what a twiddle factor would have to know, too, and the pass says it there.

#include <vector>

#include "kallima/backend.hpp"
#include "kallima/network.hpp"
#include "network/node_levels.hpp"

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
  Index size() const { return static_cast<Index>(bytes_); }
  bool elements_are_neighbours() const;
  bool reads_where_it_writes() const;
  Index tile_pitch() const;
  NodeTile tile_of(std::byte* tile, Index line, Index lanes) const;
  void copy_lines(const KernelCall& call, Index line, Index lines) const;

  // ---- a line whose elements are neighbours
  void start_line(const KernelCall& call, Index line) const;
  NodeLevels::Source source_of(const KernelCall& call, Index line, Index element) const;
  void run_squares(const NodeTile& rows, Index first, Index count, std::byte* square) const;

  // ---- lines whose elements are far apart
  void start_lanes(const KernelCall& call, Index line, Index lanes) const;
  bool evenly_apart(Index line, Index lanes) const;
  std::vector<std::byte*> rows_of_targets(const KernelCall& call, Index line, Index lanes) const;
  bool lie_together(const Piece& piece, Index line, Index lanes) const;
  void run_lanes(NodeTile tile, Index line, Index lanes) const;
  void move_all(const KernelCall& call, const std::vector<Piece>& pieces, Index line, Index lanes, const auto& base_of,
                const auto& copy) const;
  void move_rows(const NodeTile& rows, const Piece& piece, auto* base, const auto& copy) const;
  template <std::size_t known>
  void move_values(const NodeTile& rows, const Piece& piece, auto* base, const std::vector<Index>& offsets,
                   const auto& copy) const;

  Index piece_offset(const KernelCall& call, const Piece& piece) const;
  Index line_offset(Index line, const Piece& piece) const;
  Index number_of_line(Index line) const;
  Index butterfly_row(Index element, Index number) const;

  NetworkShape shape_;
  const AnyNode& node_;
  std::size_t bytes_;
  Pass pass_;
  std::size_t depth_;
  Index lines_;
  NodeLevels levels_;
  Index together_ = 1;
  bool copies_ = false;   // lines that are moved as they are
  bool by_line_ = false;  // a line whose elements are neighbours at a time
};

}  // namespace kallima
