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

Strided place_in(const Block& owned, const Storage& storage, const Block& block) {
  Strided place{.strides = strides_of(storage, shape_of(owned))};
  for (std::size_t k = 0; k < block.size(); ++k) {
    place.offset += (block[k].first - owned[k].first) / owned[k].step * place.strides[k];
    place.strides[k] *= block[k].count > 1 ? block[k].step / owned[k].step : 1;
  }
  return place;
}

Strided packed(const Block& block, Index offset) { return {offset, row_major(shape_of(block))}; }

Piece lines_of(Buffer buffer, const Strided& place, const Block& block, std::size_t line, bool real) {
  Piece piece{.buffer = buffer, .offset = place.offset, .count = block[line].count, .stride = place.strides[line]};
  piece.real = real;
  for (std::size_t k = 0; k < block.size(); ++k)
    if (k != line) piece.strides.push_back(place.strides[k]);
  return piece;
}

std::vector<Index> loops_of(const Block& block, std::size_t line) {
  std::vector<Index> extents;
  for (std::size_t k = 0; k < block.size(); ++k)
    if (k != line) extents.push_back(block[k].count);
  return extents;
}

Pass move_block(const Block& block, const Strided& from, const Strided& to, bool real) {
  std::size_t line = block.size() - 1;
  while (line > 0 && block[line].count == 1) --line;
  Pass pass{.action = Action::move, .length = block[line].count};
  pass.sources = {lines_of(Buffer::in, from, block, line, real)};
  pass.targets = {lines_of(Buffer::out, to, block, line, real)};
  pass.loops = loops_of(block, line);
  return pass;
}

}  // namespace kallima
