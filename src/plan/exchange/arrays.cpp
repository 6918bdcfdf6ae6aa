#include "plan/exchange/arrays.hpp"

#include <algorithm>

#include "plan/exchange/axes.hpp"

namespace kallima {

void add_shared(std::vector<Stretch>& all, const Block& block, Stretch s) {
  const Block shared = common(s.index, block);
  if (count_of(shared) == 0) return;
  s.place = place_in(s.index, s.place.strides, shared, s.place.offset);
  s.index = shared;
  all.push_back(std::move(s));
}

Step copied(const Cell& cell, const Stretch& packed, const Area& area, bool packs, bool scaled) {
  const Strided& place = packs ? cell.from : cell.to;
  std::size_t line = cell.extents.size() - 1;
  while (line > 0 && cell.extents[line] == 1) --line;
  const auto piece = [&](Buffer buffer, int recv, const Strided& at) {
    Piece p{
        .buffer = buffer, .recv = recv, .offset = at.offset, .count = cell.extents[line], .stride = at.strides[line]};
    p.real = packed.real;
    for (std::size_t k = 0; k < cell.extents.size(); ++k)
      if (k != line && cell.extents[k] > 1) p.strides.push_back(at.strides[k]);
    return p;
  };
  Step step;
  step.pass = {.action = Action::move, .length = cell.extents[line], .scaled = scaled};
  for (std::size_t k = 0; k < cell.extents.size(); ++k)
    if (k != line && cell.extents[k] > 1) step.pass.loops.push_back(cell.extents[k]);
  (packs ? step.pass.targets : step.pass.sources).push_back(piece(packed.buffer, packed.recv, packed.place));
  (packs ? step.pass.sources : step.pass.targets).push_back(piece(area.buffer, -1, place));
  step.pass.conjugated = !packs && cell.conjugated;
  return step;
}

Block Arrays::part(const Held& held, std::size_t i, Index number) const {
  const Block all = held.spread.owned(me_);
  return number == everything ? all : part_of(all, path_.stops[i].cut, number, number + 1);
}

Stretch Arrays::stretch(const Area& area, const Block& block) const {
  return {area.buffer, -1, area.held.data == Data::real_, block, place(area, block)};
}

Strided Arrays::place(const Area& area, const Block& block) const {
  if (!area.part) return place_in(area.held, me_, block);
  std::vector<Index> strides(block.size());
  std::vector<std::size_t> order;  // slowest first
  for (const std::vector<std::size_t>& slots : area.held.axes) order.insert(order.end(), slots.begin(), slots.end());
  for (std::size_t k = order.size(); k < block.size(); ++k) order.push_back(k);
  Index stride = 1;
  for (std::size_t k = order.size(); k-- > 0; stride *= (*area.part)[order[k]].count) strides[order[k]] = stride;
  return place_in(*area.part, strides, block);
}

// For all of an array, or for the part of it that is used up before the next one is made.
Area Arrays::memory_for(std::size_t i, Index number, const Held& held, bool by_part) {
  if (by_part) return memory_for(held, part(held, i, number));
  return {assembler_.allocate(size_of(held, me_), held.data, Assembler::Use::own), held};
}

Area Arrays::memory_for(const Held& held, const Block& some) {
  const Area area{assembler_.allocate(count_of(some), held.data, Assembler::Use::own), held, some};
  assembler_.prefer_used(area.buffer);
  return area;
}

// Where what comes to a stop is put together: in `out` if nothing there changes what it holds.
const Area& Arrays::arrival(std::size_t i, Index number) {
  if (i == 0) return in_;
  if (messages_.arrives_final(i)) return out_;
  const bool by_part = messages_.by_part(i);
  std::deque<Area>& areas = areas_[{i, by_part ? number : 0}];
  if (areas.empty()) {
    const Work& w = messages_.work()[i];
    const bool done = path_.stops[i].result && !is_moved(i);
    areas.push_back(memory_for(i, number, done ? w.done : w.back ? after(w.held, {*w.back}) : w.held, by_part));
  }
  return areas.front();
}

const Area& Arrays::scratch(std::size_t i, Index number, std::size_t which, const Held& held) {
  const Area& begin = arrival(i, number);
  const bool by_part = messages_.by_part(i);
  std::deque<Area>& areas = areas_[{i, by_part ? number : 0}];
  if (areas.empty()) areas.push_back(begin);
  while (areas.size() <= which + 1) areas.push_back(memory_for(i, number, held, by_part));
  return areas[which + 1];
}

// In place, arrays that go in rounds stand in the work buffer and in `out` by turns, and the first and the last one in
// the work buffer: of an even number of them, the last is transformed from one to the other.
bool Arrays::changes_sides(std::size_t i) const {
  const auto changes_data = [](const Stop& s) { return std::ranges::any_of(s.transforms, changes); };
  return goes_in_rounds(path_) && !goes_as_blocks(path_) && assembler_.is_in_place() && i > 0 &&
         i + 2 == path_.stops.size() && i % 2 == 0 && std::ranges::none_of(path_.stops, changes_data);
}

// What is done at a stop cannot be done in place: it changes what the array holds, or the order in which it stands.
bool Arrays::is_moved(std::size_t i) const {
  const std::vector<Transform>& all = messages_.work()[i].alone;
  return changes_sides(i) || std::any_of(all.begin(), all.end(), path_.stops[i].result ? is_special : changes);
}

// The slowest slot along which a rank has more than one index.
std::size_t Arrays::rows_of(const Held& held) const {
  const Block mine = held.spread.owned(me_);
  const auto several = std::ranges::find_if(mine, [](const Progression& p) { return p.count > 1; });
  return held.axes.empty() ? static_cast<std::size_t>(several - mine.begin()) : 0;
}

// Reals that become complex numbers in place, if nothing is left to cut along, and the slowest slot stays as it is.
bool Arrays::changes_in_array(std::size_t i) const {
  const std::vector<Transform>& all = messages_.work()[i].alone;
  if (i > 0 || !assembler_.is_in_place() || all.empty() || all.front().kind != Kind::real_to_half) return false;
  const Held &held = messages_.work()[0].held, done = after(held, all);
  const std::size_t rows = rows_of(held);
  return path_.stops[0].cut.count == 1 && all.front().slot > rows && held.spread.owned(me_)[rows].count > 1 &&
         held.storage.is_plain() && words_of(done, me_) <= words_of(path_.out, me_);
}

// The array as it stands before it is packed, or as the result.
const Area& Arrays::ready(std::size_t i, Index number) {
  const Area*& known = ready_[{i, number}];
  if (known == nullptr) known = &made_ready(i, number);
  return *known;
}

const Area& Arrays::made_ready(std::size_t i, Index number) {
  if (i + 1 == path_.stops.size() && !messages_.work()[i].late) return out_;
  const Area& begin = arrival(i, number);
  if (messages_.work()[i].alone.empty() || (may_change(begin) && !is_moved(i) && begin.held.storage.is_plain()))
    return begin;
  Held held = path_.stops[i].result ? messages_.work()[i].done : after(begin.held, messages_.work()[i].alone);
  held.storage = {};
  std::deque<Area>& areas = areas_[{i, 0}];
  if (changes_in_array(i) && areas.empty())
    areas = {begin, {assembler_.allocate_in_out(size_of(held, me_), held.data), held}};
  return scratch(i, number, 0, held);
}

}  // namespace kallima
