#pragma once
// The levels of a node function on rows of values, as many at once as the function takes. What is too large for the
// first cache is gone through once for some levels, and then part by part; within the first cache each round of levels
// is one call, or few. Rows of a tile are padded so that those a power of two apart do not fight for cache sets. Rows
// that stand one behind the other in the caller's array are not: there three levels are done at once, of whole cache
// lines, each of which is then read and written in one go.

#include <functional>

#include "kallima/node.hpp"

namespace kallima {

// Rows of `count` values each, a pitch apart.
struct NodeTile {
  std::byte* values = nullptr;
  Index pitch = 0;               // bytes from row to row
  Index all = 0;                 // how many there are
  Index number = 0;              // the butterfly's row of the first value
  Index row_step = 0, step = 0;  // rows of the butterfly from row to row, and from neighbour to neighbour
  Index count = 0;
  Index value_bytes = 0;
  std::byte* const* to = nullptr;  // where each row goes with its last levels; none: it stays

  std::byte* row(Index r) const { return values + r * pitch; }
  bool is_one_line() const { return pitch == count * value_bytes && row_step == count * step; }
};

class NodeLevels {
 public:
  static constexpr int most_levels = 4;
  static constexpr Index neighbours = 16;                     // of a row of which the last four levels are done at once
  using Done = std::function<void(Index first, Index rows)>;  // with rows that are still in the first cache
  // Where values from number `first` on come from, and how many of them stand together there.
  struct Source {
    const std::byte* values;
    Index count;
  };
  using Find = std::function<Source(Index first)>;

  NodeLevels(const AnyNode& node, int levels) : node_(node), all_levels_(levels) {}

  void run(const NodeTile& tile, const Done& done) const { run(tile, 0, tile.all, 1, done); }
  // The first ones of a line read its values from elsewhere.
  void run_from(const NodeTile& line, const Find& find, const Done& done) const;
  // The last four, of rows of 16 neighbours.
  bool takes_neighbours() const { return node_.run_neighbours != nullptr; }
  void run_neighbours(const NodeTile& rows, Index first, Index count) const;

 private:
  int first_levels(const NodeTile& tile, Index length) const;  // that are done at once on so many rows
  void run_parts(const NodeTile& tile, Index begin, Index length, Index sections, const Done& done) const;
  void run(const NodeTile& tile, Index begin, Index length, Index sections, const Done& done) const;
  void run_round(const NodeTile& tile, Index begin, Index length, Index sections) const;
  void run_last_round(const NodeTile& tile, Index begin, Index length, Index sections) const;
  NodeRun run_of(const NodeTile& tile, Index length, int levels) const;

  const AnyNode& node_;
  int all_levels_;
};

}  // namespace kallima
