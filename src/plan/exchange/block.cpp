#include "plan/exchange/block.hpp"

#include "plan/exchange/axes.hpp"

namespace kallima {

Index count_of(const Block& block) {
  Index count = 1;
  for (const Progression& p : block) count *= p.count;
  return count;
}

Shape shape_of(const Block& block) {
  Shape shape;
  for (const Progression& p : block) shape.push_back(p.count);
  return shape;
}

Strided place_in(const Block& whole, const std::vector<Index>& strides, const Block& block, Index offset) {
  Strided place{offset, strides};
  for (std::size_t k = 0; k < block.size(); ++k) {
    place.offset += (block[k].first - whole[k].first) / whole[k].step * strides[k];
    place.strides[k] *= block[k].count > 1 ? block[k].step / whole[k].step : 1;
  }
  return place;
}

Strided packed(const Block& block, Index offset) { return {offset, row_major(shape_of(block))}; }

// A lone index has no step of its own, so that equal blocks compare equal.
Block common(const Block& a, const Block& b) {
  Block shared(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    shared[k] = intersection(a[k], b[k]);
    if (shared[k].count == 0) return Block(a.size());
    if (shared[k].count == 1) shared[k].step = 1;
  }
  return shared;
}

}  // namespace kallima
