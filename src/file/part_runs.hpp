#pragma once
// A rank's part of a row-major array, seen from the file: runs of equal length at ascending places. The k-th run of the
// file is also the k-th of the rank's local array, since both are row-major, so a run's local place needs no table.
// Dimensions at the end that the rank owns whole melt into the run.

#include <algorithm>
#include <vector>

#include "kallima/layout.hpp"

namespace kallima {

class PartRuns {
 public:
  PartRuns(const Layout& layout, int rank);

  // All runs start at origin plus a multiple of each level's pitch, counted in items; the last level turns fastest.
  struct Level {
    Index count = 1;
    Index pitch = 0;
  };

  Index length() const { return length_; }
  Index count() const { return count_; }
  Index origin() const { return origin_; }
  const std::vector<Level>& levels() const { return levels_; }  // never empty
  Index start(Index run) const;
  Index items_before(Index item) const;  // how many of the part's items lie before that place in the file

  // Calls visit(place in the file, place in the part, items) for what the part has of items begin..end-1.
  template <class Visit>
  void visit_range(Index begin, Index end, Visit visit) const {
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
  Index first_ending_after(Index item) const;

  Index length_ = 0;
  Index count_ = 0;
  Index origin_ = 0;
  std::vector<Level> levels_;
};

// Items of the whole array times `item_bytes`, plus what stands before it; throws Error where no file can be so long.
Index file_bytes(const Layout& layout, Index item_bytes, Index offset);

// Throws Error unless the part has the size the layout says.
void check_part(const Layout& layout, int rank, Index item_bytes, std::size_t part_bytes);

}  // namespace kallima
