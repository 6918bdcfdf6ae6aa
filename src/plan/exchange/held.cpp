#include "plan/exchange/held.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "plan/exchange/axes.hpp"

namespace kallima {
namespace {

bool is_all(const Progression& p, Index n) { return p.count == n && (n == 1 || (p.first == 0 && p.step == 1)); }

}  // namespace

Spread::Spread(const Layout& layout) : shape_(layout.shape()), ranks_(layout.ranks()) {
  if (!layout.is_grid()) {
    boxes_ = layout;
    active_ = ranks_;
    return;
  }
  const std::vector<Index> strides = row_major(layout.grid());
  for (std::size_t k = 0; k < shape_.size(); ++k) slots_.push_back({layout.dims()[k], strides[k]});
  active_ = layout.active_ranks();
}

Spread::Spread(std::vector<Slot> slots, int ranks) : slots_(std::move(slots)), ranks_(ranks) {
  Index active = 1;
  for (const Slot& slot : slots_) {
    shape_.push_back(slot.dealt.extent());
    active *= slot.dealt.parts();
  }
  active_ = static_cast<int>(active);
}

Block Spread::owned(int rank) const {
  if (boxes_) return boxes_->owned(rank);
  Block all(shape_.size());
  if (rank >= active_) return all;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Slot& slot = slots_[k];
    all[k] = slot.dealt.owned(rank / slot.rank_stride % slot.dealt.parts());
    if (all[k].count == 0) return Block(shape_.size());
  }
  return all;
}

bool Spread::whole(std::size_t slot) const {
  if (!boxes_) return slots_.at(slot).dealt.parts() == 1;
  for (int rank = 0; rank < ranks_; ++rank) {
    const Block block = boxes_->owned(rank);
    if (count_of(block) > 0 && !is_all(block[slot], shape_[slot])) return false;
  }
  return true;
}

bool Spread::same_in(std::size_t slot, const Spread& other) const {
  if (boxes_ || other.boxes_) return whole(slot) && other.whole(slot);
  const Slot &a = slots_.at(slot), &b = other.slots_.at(slot);
  return a.dealt == b.dealt && (a.dealt.parts() == 1 || a.rank_stride == b.rank_stride);
}

// Of a product, what ranks have of each slot, in all combinations.
std::vector<Portion> Spread::portions(const Block& block, const Cut& cut, Index first, Index last) const {
  std::vector<Portion> all;
  if (count_of(block) == 0) return all;
  for (int rank = 0; boxes_ && rank < ranks_; ++rank)
    if (Block shared = common(part_of(owned(rank), cut, first, last), block); count_of(shared) > 0)
      all.push_back({rank, std::move(shared)});
  if (boxes_) return all;
  all.push_back({0, Block(slots_.size())});
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const Slot& slot = slots_[k];
    std::vector<Portion> longer;
    for (Index part = 0; part < slot.dealt.parts(); ++part) {
      Progression here = slot.dealt.owned(part);
      if (k == cut.slot) here = part_of(here, cut, first, last);
      const Block shared = common({here}, {block[k]});
      if (shared[0].count == 0) continue;
      for (const Portion& p : all) {
        longer.push_back(p);
        longer.back().rank += static_cast<int>(part * slot.rank_stride);
        longer.back().block[k] = shared[0];
      }
    }
    all = std::move(longer);
  }
  std::ranges::sort(all, {}, &Portion::rank);
  return all;
}

namespace {

// Parts that own any of these indices, some of which may be past the end, where a spectrum is shorter than its reals.
// Neighbours are in neighbouring blocks, of which none is empty, or one by one in all parts; there may be very many,
// and nobody looks at each.
Index owners_of(const Distribution& dealt, const Progression& indices) {
  const Progression some = intersection(indices, {0, 1, dealt.extent()});
  if (some.count == 0) return 0;
  if (some.step == 1 && dealt.cycle() == 1 && dealt.parts() <= dealt.extent())
    return dealt.owner(some.first + some.count - 1) - dealt.owner(some.first) + 1;
  if (some.step == 1 && dealt.cycle() == dealt.parts()) return std::min(some.count, dealt.parts());
  Index owners = 0;
  for (Index part = 0; part < dealt.parts(); ++part)
    owners += intersection(dealt.owned(part), some).count > 0 ? 1 : 0;
  return owners;
}

}  // namespace

Index Spread::owner_count(const Block& block) const {
  if (count_of(block) == 0) return 0;
  if (boxes_) return ranks_;
  Index count = 1;
  for (std::size_t k = 0; k < slots_.size(); ++k) count *= std::max<Index>(1, owners_of(slots_[k].dealt, block[k]));
  return count;
}

Spread Spread::with_extent(std::size_t slot, Index n) const {
  if (boxes_) return Spread(kallima::with_extent(*boxes_, slot, n));
  Spread other = *this;
  other.slots_[slot] = {Distribution::block(n, 1), 1};
  other.shape_[slot] = n;
  return other;
}

namespace {

struct Strides {
  std::vector<Index> of_slots;
  Index size;
};

Strides strides_in(const Held& held, const Block& owned) {
  const Shape extents = shape_of(owned);
  if (held.axes.empty()) return {strides_of(held.storage, extents), stored_size(held.storage, extents)};
  Shape lengths;
  for (const auto& slots : held.axes) {
    lengths.push_back(1);
    for (const std::size_t s : slots) lengths.back() *= extents[s];
  }
  const std::vector<Index> of_axes = strides_of(held.storage, lengths);
  Strides result{std::vector<Index>(extents.size(), 1), stored_size(held.storage, lengths)};
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    Index stride = of_axes[k];
    for (std::size_t i = held.axes[k].size(); i-- > 0; stride *= extents[held.axes[k][i]])
      result.of_slots[held.axes[k][i]] = stride;
  }
  return result;
}

}  // namespace

bool holds_whole(const Layout& layout, std::size_t dim) { return Spread(layout).whole(dim); }

Layout with_extent(const Layout& layout, std::size_t dim, Index n) {
  if (layout.is_grid()) {
    std::vector<Distribution> dims = layout.dims();
    dims[dim] = Distribution::block(n, 1);
    return {dims, layout.ranks()};
  }
  Shape shape = layout.shape();
  shape[dim] = n;
  std::vector<Box> boxes;
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    Box& box = boxes.emplace_back();
    for (const Progression& p : layout.owned(rank)) {
      box.begin.push_back(p.first);
      box.end.push_back(p.first + p.count);
    }
    if (layout.local_size(rank) > 0) box.end[dim] = n;
  }
  return Layout::boxes(shape, std::move(boxes));
}

Index words(Index elements, Data data) { return data == Data::real_ ? (elements + 1) / 2 : elements; }

Index size_of(const Held& held, int rank) {
  const Block owned = held.spread.owned(rank);
  return count_of(owned) == 0 ? 0 : strides_in(held, owned).size;
}

Index words_of(const Held& held, int rank) { return words(size_of(held, rank), held.data); }

Strided place_in(const Held& held, int rank, const Block& block) {
  const Block owned = held.spread.owned(rank);
  return place_in(owned, strides_in(held, owned).of_slots, block);
}

Index Cell::count() const { return element_count(extents); }

Progression part_of(const Progression& p, const Cut& cut, Index first, Index last) {
  if (first == 0 && last == cut.count) return p;
  if (cut.strided) {
    expect(last == first + 1);
    const Index count = p.count > first ? (p.count - first - 1) / cut.count + 1 : 0;
    return {p.first + first * p.step, p.step * cut.count, count};
  }
  const Index begin = first * p.count / cut.count, end = last * p.count / cut.count;
  return {p.first + begin * p.step, p.step, end - begin};
}

Block part_of(Block block, const Cut& cut, Index first, Index last) {
  block[cut.slot] = part_of(block[cut.slot], cut, first, last);
  return block;
}

}  // namespace kallima
