#pragma once
// A rank's part of a row-major array, seen from the file: runs of equal length at ascending places. The k-th run of the
// file is also the k-th of the rank's local array, since both are row-major, so a run's local place needs no table.
// Dimensions at the end that the rank owns whole melt into the run, which grows from the last one on.

#include <algorithm>
#include <ranges>

#include "base/check.hpp"
#include "kallima/layout.hpp"

namespace kallima {

class PartRuns {
 public:
  PartRuns(const Layout& layout, int rank) {
    if (layout.local_size(rank) > 0) {
      const auto owned = layout.owned(rank);
      Index stride = 1;
      length_ = 1;
      for (std::size_t d = owned.size(); d-- > 0;) {
        const Progression& p = owned[d];
        origin_ += p.first * stride;
        if (length_ == stride && (p.step == 1 || p.count == 1))
          length_ *= p.count;
        else if (p.count > 1)
          levels_.push_back({p.count, p.step * stride});
        stride *= layout.shape()[d];
      }
      count_ = layout.local_size(rank) / length_;
    }
    std::ranges::reverse(levels_);
    if (levels_.empty()) levels_.push_back({1, 0});
  }

  Index items_before(Index item) const {  // how many of the part's items lie before that place in the file
    const Index run = first_ending_after(item);
    return run * length_ + (run < count_ ? std::max<Index>(0, item - start(run)) : 0);
  }

  // Calls visit(place in the file, place in the part, items) for what the part has of items begin..end-1.
  void visit_range(Index begin, Index end, const auto& visit) const {
    const Level& line = levels_.back();
    for (Index run = first_ending_after(begin); run < count_;) {
      const Index line_end = (run / line.count + 1) * line.count;
      for (Index at = start(run); run < line_end; ++run, at += line.pitch) {
        if (at >= end) return;
        const Index low = std::max(at, begin);
        visit(low, run * length_ + (low - at), std::min(at + length_, end) - low);
      }
    }
  }

 private:
  // All runs start at origin plus a multiple of each level's pitch, counted in items; the last level turns fastest.
  struct Level {
    Index count = 1, pitch = 0;
  };

  Index start(Index run) const {
    Index at = origin_;
    for (std::size_t i = levels_.size(); i-- > 0; run /= levels_[i].count)
      at += run % levels_[i].count * levels_[i].pitch;
    return at;
  }

  Index first_ending_after(Index item) const {
    const auto ends_before = [&](Index run) { return start(run) + length_ <= item; };
    return *std::ranges::partition_point(std::views::iota(Index{0}, count_), ends_before);
  }

  Index length_ = 0;
  Index count_ = 0;
  Index origin_ = 0;
  std::vector<Level> levels_;  // never empty
};

// Items of the whole array times `item_bytes`, plus what stands before it; throws Error where no file can be so long.
inline Index file_bytes(const Shape& shape, Index item_bytes, Index offset) {
  Index bytes = item_bytes;
  bool fits = item_bytes >= 1 && offset >= 0;
  for (const Index extent : shape) fits = fits && !__builtin_mul_overflow(bytes, extent, &bytes);
  fits = fits && !__builtin_add_overflow(bytes, offset, &bytes);
  require(fits, "no file can hold an array of {} with items of {} bytes from byte {} on", fmt::join(shape, "x"),
          item_bytes, offset);
  return bytes;
}
inline Index file_bytes(const Layout& layout, Index item_bytes, Index offset) {
  return file_bytes(layout.shape(), item_bytes, offset);
}

}  // namespace kallima
