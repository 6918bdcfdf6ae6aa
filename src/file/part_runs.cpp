// Finding a rank's runs: walk the dimensions from the last one, growing the run while the rank owns all of each.

#include "file/part_runs.hpp"

#include "base/check.hpp"
#include "kallima/layout.hpp"

namespace kallima {

PartRuns::PartRuns(const Layout& layout, int rank) {
  if (layout.local_size(rank) > 0) {
    const auto owned = layout.owned(rank);
    Index stride = 1;
    length_ = 1;
    for (std::size_t d = owned.size(); d-- > 0;) {
      const Progression& p = owned[d];
      origin_ += p.first * stride;
      if (length_ == stride && (p.step == 1 || p.count == 1)) {
        length_ *= p.count;
      } else if (p.count > 1) {
        levels_.push_back({p.count, p.step * stride});
      }
      stride *= layout.shape()[d];
    }
    count_ = layout.local_size(rank) / length_;
  }
  std::reverse(levels_.begin(), levels_.end());
  if (levels_.empty()) levels_.push_back({1, 0});
}

Index PartRuns::start(Index run) const {
  Index at = origin_;
  for (std::size_t i = levels_.size(); i-- > 0;) {
    at += run % levels_[i].count * levels_[i].pitch;
    run /= levels_[i].count;
  }
  return at;
}

Index PartRuns::first_ending_after(Index item) const {
  Index low = 0;
  Index high = count_;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (start(middle) + length_ > item)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

Index PartRuns::items_before(Index item) const {
  const Index run = first_ending_after(item);
  return run * length_ + (run < count_ ? std::max<Index>(0, item - start(run)) : 0);
}

Index file_bytes(const Layout& layout, Index item_bytes, Index offset) {
  Index bytes = item_bytes;
  bool fits = item_bytes >= 1 && offset >= 0;
  for (const Index extent : layout.shape()) fits = fits && !__builtin_mul_overflow(bytes, extent, &bytes);
  fits = fits && !__builtin_add_overflow(bytes, offset, &bytes);
  require(fits, "no file can hold {} with items of {} bytes from byte {} on", layout.text(), item_bytes, offset);
  return bytes;
}

void check_part(const Layout& layout, int rank, Index item_bytes, std::size_t part_bytes) {
  const auto needed = static_cast<std::size_t>(layout.local_size(rank) * item_bytes);
  require(part_bytes == needed, "rank {} has {} bytes for its part of {} ({} are needed)", rank, part_bytes,
          layout.text(), needed);
}

}  // namespace kallima
