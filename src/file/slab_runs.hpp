#pragma once
// A hyperslab, seen from the file: runs of equal length, one for each of its rows. Dimensions at the end that it has
// whole melt into the run.

#include <algorithm>

#include "base/check.hpp"
#include "kallima/file.hpp"

namespace kallima {

class SlabRuns {
 public:
  SlabRuns(const Hyperslab& slab, const Shape& extents) : whole_(slab.whole), extents_(extents), begin_(slab.begin) {
    require(whole_.size() == extents.size() && begin_.size() == extents.size(),
            "a hyperslab of {} dimensions in an array of {} (its beginning has {}): give all the same", extents.size(),
            whole_.size(), begin_.size());
    for (std::size_t k = 0; k < extents.size(); ++k)
      require(begin_[k] >= 0 && extents[k] <= whole_[k] && begin_[k] <= whole_[k] - extents[k],
              "a hyperslab from {} on with {} elements does not fit into {} (dimension {})", begin_[k], extents[k],
              whole_[k], k);
    for (outer_ = extents.size(); outer_ > 0;) {
      length_ *= extents[--outer_];
      if (extents[outer_] != whole_[outer_]) break;
    }
  }

  // Calls visit(place in the file, place in the range, items) for items first..last-1 of the slab, counted row-major.
  void visit_items(Index first, Index last, const auto& visit) const {
    for (Index item = first; item < last;) {
      const Index within = item % length_, count = std::min(length_ - within, last - item);
      visit(start(item / length_) + within, item - first, count);
      item += count;
    }
  }

 private:
  Index start(Index run) const {  // of a run, in items of the whole array
    Index place = 0, stride = 1;
    for (std::size_t k = extents_.size(); k-- > 0;) {
      Index j = begin_[k];
      if (k < outer_) {
        j += run % extents_[k];
        run /= extents_[k];
      }
      place += j * stride;
      stride *= whole_[k];
    }
    return place;
  }

  Shape whole_, extents_, begin_;
  std::size_t outer_ = 0;  // dimensions that are not part of a run
  Index length_ = 1;
};

}  // namespace kallima
