#pragma once
// An array as all ranks hold it between two steps of a path. An axis of n = R * Q points may be seen as several slots,
// j = w * Q + v: nothing moves, but what a rank owns is then a product again where the axis itself is dealt out in a
// way that has no name. A slot is whole on every rank, or dealt out to ranks that differ in one digit of their number.

#include <functional>
#include <optional>

#include "plan/exchange/block.hpp"

namespace kallima {

struct Slot {
  Distribution dealt;
  Index rank_stride = 1;  // a rank's part is rank / rank_stride modulo the number of parts
};

// How an array is cut so that the first parts travel while the last are made: into `count` parts of what each rank
// owns of a slot, runs of neighbours or every count-th.
struct Cut {
  std::size_t slot = 0;
  Index count = 1;
  bool strided = false;
  bool operator==(const Cut&) const = default;
};

// What a rank has of a block.
struct Portion {
  int rank = 0;
  Block block;
};

// Who owns which index of every slot: digits of the rank's number say it, or a list of boxes.
class Spread {
 public:
  Spread(const Layout& layout);
  Spread(std::vector<Slot> slots, int ranks);

  const Shape& shape() const { return shape_; }
  int ranks() const { return ranks_; }
  int active() const { return active_; }  // ranks that may own anything are below this
  int busy() const { return boxes_ ? boxes_->active_ranks() : active_; }
  Block owned(int rank) const;
  bool is_product() const { return !boxes_; }
  bool whole(std::size_t slot) const;
  bool same_in(std::size_t slot, const Spread& other) const;  // what a rank owns of it
  Index owner_count(const Block& block) const;                // how many, or more where it is not known at once
  Spread with_extent(std::size_t slot, Index n) const;        // of a slot that is whole
  // What ranks that have any of it have of a block, in parts first to last-1 of what each owns.
  std::vector<Portion> portions(const Block& block, const Cut& cut, Index first, Index last) const;

 private:
  std::vector<Slot> slots_;
  std::optional<Layout> boxes_;
  Shape shape_;
  int ranks_;
  int active_ = 1;
};

struct Held {
  Spread spread;
  Data data = Data::complex_;
  Storage storage = {};                             // of the axes
  std::vector<std::vector<std::size_t>> axes = {};  // the slots of each axis, slowest first; empty: an axis is a slot
};

Index size_of(const Held& held, int rank);   // elements, padding included
Index words_of(const Held& held, int rank);  // the same in complex numbers
Strided place_in(const Held& held, int rank, const Block& block);
// Layouts that hold a dimension whole, on every rank that owns anything.
bool holds_whole(const Layout& layout, std::size_t dim);
Layout with_extent(const Layout& layout, std::size_t dim, Index n);

Index words(Index elements, Data data);  // two reals are a word

// What two ranks share: a box with steps that stands in the arrays of both. Of slots that both arrays have, `index`
// says which indices these are.
struct Cell {
  Shape extents;
  Strided from = {};
  Strided to = {};
  Block index = {};
  bool conjugated = false;
  Index from_part = 0, to_part = 0;  // of the arrays, where these stand part by part
  Index count() const;
};

// Some of what a rank owns.
struct Share {
  Block owned;
  Block taken;
};

using CellsOf = std::function<std::vector<Cell>(const Share& from, const Share& to)>;

// Parts first to last-1 of a block, or of what it has of the slot that is cut.
Block part_of(Block block, const Cut& cut, Index first, Index last);
Progression part_of(const Progression& p, const Cut& cut, Index first, Index last);

}  // namespace kallima
