#pragma once
// The levels of a node function on rows of values in a tile, as many at once as the function takes. What is too large
// for the first cache is gone through once for some levels, and then part by part; within the first cache each round
// of levels is one call, or few. Rows are padded so that those a power of two apart do not fight for cache sets, and
// what is read together comes from different banks: a row's pitch, or that of 16 short ones, is an odd number of cache
// lines.

#include <functional>

#include "kallima/node.hpp"

namespace kallima {

// Rows of `count` values each, in a tile.
struct TileRows {
  static constexpr Index group = 16;

  std::byte* tile = nullptr;
  Index pitch = 0;               // bytes from row to row
  Index extra = 0;               // and after every 16
  Index all = 0;                 // how many there are
  Index number = 0;              // the butterfly's row of the first value
  Index row_step = 0, step = 0;  // rows of the butterfly from row to row, and from neighbour to neighbour
  Index count = 0;

  Index place(Index row) const { return row * pitch + row / group * extra; }
  std::byte* row(Index r) const { return tile + place(r); }
};

class NodeLevels {
 public:
  static constexpr int most_levels = 4;
  using Done = std::function<void(Index first, Index rows)>;  // with rows that are still in the first cache

  NodeLevels(const AnyNode& node, int levels) : node_(node), all_levels_(levels) {}

  int first_levels(Index length) const;  // that are done at once on so many rows
  void run(const TileRows& rows, const Done& done) const { run(rows, 0, rows.all, 1, done); }
  // The first ones, from elsewhere; of rows j, j + 1, ... as many as fill the sources, which are `from_step` apart.
  void run_first(const TileRows& rows, Index j, Index times, const std::byte* const* from, Index from_step) const;
  void run_after_first(const TileRows& rows, const Done& done) const;
  // The last four, of rows of 16 neighbours; what comes out goes to a line.
  bool takes_neighbours() const { return node_.run_neighbours != nullptr; }
  void run_neighbours(const TileRows& rows, Index first, Index count, std::byte* line, Index value_bytes) const;

 private:
  void run(const TileRows& rows, Index begin, Index length, Index sections, const Done& done) const;
  void run_round(const TileRows& rows, Index begin, Index length, Index sections) const;
  NodeRun run_of(const TileRows& rows, Index length, int levels) const;

  const AnyNode& node_;
  int all_levels_;
};

}  // namespace kallima
