// How arrays that go in rounds are cut: into parts that stand wherever there is room, and what travels from one to the
// next into blocks. A part is dead when the blocks that it is in are packed, and needs memory when the first block
// comes that has something of it: least is needed where every block has something of few parts, both of the array it
// leaves and of the one it comes to.

#include <algorithm>

#include "plan/exchange/path.hpp"

namespace kallima {
namespace {

// Into how many parts of which each takes messages of its own.
Index most_parts(const Path& path) {
  return goes_by_peer(path) ? most_chunks >> (most_thrift - path.thrift) : most_chunks;
}

// Along the slot of which transform parts can be: of the only one, if that makes another array, or of the longest of an
// array in the middle, which is transformed when all of it is there.
std::optional<std::size_t> slot_across(const Path& path, std::size_t i) {
  const std::vector<Transform>& all = path.stops[i].transforms;
  if (i == 0 || all.empty()) return {};
  if (all.size() == 1 && is_special(all.front())) return all.front().slot;
  if (i + 1 == path.stops.size() || std::ranges::any_of(all, is_special)) return {};
  return std::ranges::max_element(all, {}, &Transform::length)->slot;
}

// How an array can be cut into parts: along a slot that is left alone, so that they are transformed one by one, or
// along the slot of a transform that reads all of them, in place unless it makes other ones.
std::vector<Cut> ways_to_cut(const Path& path, std::size_t i, Placement placement) {
  const Stop& stop = path.stops[i];
  const std::vector<Transform>& all = stop.transforms;
  const bool last = i + 1 == path.stops.size();
  const bool special = std::ranges::any_of(all, is_special);
  const bool first_whole = placement == Placement::in_place || all.empty() || path.thrift == thrift_of_peers;
  const bool in_array = i == 0 ? first_whole : last && !special;
  if (in_array || !stop.held.spread.is_product()) return {};
  const Block mine = typical(stop.held.spread);
  std::vector<Cut> ways;
  for (std::size_t s = 0; s < mine.size(); ++s)
    if (!transforms_at(stop, s) && mine[s].count > 1) ways.push_back({s, std::min(mine[s].count, most_parts(path))});
  const auto few = [](const Cut& cut) { return cut.count < fewest_chunks; };
  const bool other_array = std::ranges::any_of(all, changes);
  const auto slot = slot_across(path, i);
  if (slot && mine[*slot].count > 1 &&
      (ways.empty() || (!other_array && (goes_by_peer(path) || std::ranges::all_of(ways, few)))))
    ways.push_back({*slot, std::min(mine[*slot].count, most_chunks)});
  return ways;
}

// Whether a rank's indices in a slot are those of several ranks at the other stop.
bool is_shared(const Held& mine, const Held& others, std::size_t slot) {
  if (!mine.spread.is_product() || !others.spread.is_product()) return false;
  return typical(mine.spread)[slot].count > typical(others.spread)[slot].count;
}

// Along which slot the result is filled from one end to the other: the slowest one.
std::optional<std::size_t> slot_of_rows(const Held& out) {
  const Block mine = typical(out.spread);
  const auto several = std::ranges::find_if(mine, [](const Progression& p) { return p.count > 1; });
  if (several == mine.end() || !out.axes.empty() || !out.spread.is_product()) return {};
  return static_cast<std::size_t>(several - mine.begin());
}

// So that a message is as long as one of many rounds. Of what comes from a fold, these are parts of lines.
Cut cut_for_rounds(const Path& path, std::size_t i) {
  const Stop& stop = path.stops[i];
  const Block mine = typical(stop.held.spread);
  const auto longest = std::ranges::max_element(mine, {}, &Progression::count);
  const Index wanted = (most_rounds + peers_of(path, i) - 1) / peers_of(path, i);
  return {static_cast<std::size_t>(longest - mine.begin()), std::clamp<Index>(wanted, 1, longest->count), !stop.cells};
}

// The blocks in which an array comes, and of how many parts they are.
struct Blocks {
  Cut cut = {};
  bool by_peer = false;    // what comes from one rank is in few parts
  bool few_leave = false;  // parts that a block has something of
  bool few_arrive = false;
};

// For an array that is cut so, from one that is cut so. Where all that a rank sends is in few parts, blocks may be cut
// as the sender's parts are.
Blocks blocks_between(const Path& path, std::size_t i, const Cut& cut, const Cut& next) {
  const Stop &from = path.stops[i], &to = path.stops[i + 1];
  const bool last = i + 2 == path.stops.size();
  if (to.cells) return {next, false, true, true};
  const std::optional<std::size_t> slot = next.count > 1 ? std::optional(next.slot)
                                          : last         ? slot_of_rows(path.out)
                                                         : std::nullopt;
  const bool leaves_by_peer = cut.count > 1 && is_shared(worked(from), to.held, cut.slot);
  if (!slot) return {cut_for_rounds(path, i + 1), false, leaves_by_peer, false};
  const bool by_peer = is_shared(to.held, worked(from), *slot);
  const bool as_it_leaves = by_peer && cut.count > 1 && !leaves_by_peer;
  const bool by_part = next.count > 1 && !transforms_at(to, next.slot) && !by_peer;
  const Index wanted = by_peer && !as_it_leaves ? (most_parts(path) - 1) / peers_of(path, i + 1) + 1 : most_parts(path);
  const auto along = [&](std::size_t s) { return Cut{s, std::min(typical(to.held.spread)[s].count, wanted)}; };
  const Cut blocks = by_part ? next : along(as_it_leaves ? cut.slot : *slot);
  const bool few_leave = leaves_by_peer || (blocks.slot == cut.slot && blocks.count > 1);
  return {blocks, by_peer, few_leave, by_peer || blocks.count > 1};
}

// About what is in memory, in words, while an array is packed and goes to the next: where blocks are of few parts,
// memory is free as fast as it is needed.
double taken_by_peer(const Path& path, std::size_t i, const Cut& cut, const Cut& next, double a, double b) {
  const Blocks blocks = blocks_between(path, i, cut, next);
  const double packed = a + (cut.count > 1 && blocks.few_leave ? a / static_cast<double>(cut.count) : a);
  const Index pieces = blocks.cut.count * (blocks.by_peer ? peers_of(path, i + 1) : 1);
  const double part = b / static_cast<double>(std::max(next.count, pieces));
  return std::max(packed, blocks.few_arrive ? std::max(a, b) + part : a + b);
}

// The same for all kinds of rounds. Where both are cut along the same slot, parts of one are made of some parts of the
// other, which are then dead. The last array may be made part by part, too, of what becomes the result, which has
// memory of its own.
double taken_between(const Path& path, std::size_t i, const Cut& cut, const Cut& next, Placement placement) {
  const auto size = [](const Held& held) {
    return static_cast<double>(words(count_of(typical(held.spread)), held.data));
  };
  const Stop &from = path.stops[i], &to = path.stops[i + 1];
  const auto parts = static_cast<double>(cut.count), next_parts = static_cast<double>(next.count);
  const bool stays = i == 0 && from.transforms.empty() && placement == Placement::out_of_place;
  const bool alike = cut.count > 1 && next.count > 1 && cut.slot == next.slot && has_same_parts(from, to, cut.slot);
  const double a = stays ? 0 : size(after(worked(from), from.transforms)), b = size(to.held);
  const bool one_by_one = i + 2 == path.stops.size() && next.count > 1 && !transforms_at(to, next.slot);
  if (goes_by_peer(path) && !one_by_one) return taken_by_peer(path, i, cut, next, a, b);
  if (goes_as_blocks(path) && !stays && !one_by_one)
    return std::max(a + a / parts, next.count > 1 ? std::max(a, b) + b / next_parts : a + b);
  if (one_by_one) return (alike ? a - a / next_parts : a) + b / next_parts + size(path.out);
  return alike ? std::max(a, b) + std::max(a / parts, b / next_parts) : a + b;
}

// Of all ways to cut the stops, the one that takes least memory where it takes most, and then least in all.
std::vector<Cut> parts_of(const Path& path, Placement placement) {
  struct Way {
    Cut cut = {};
    std::pair<double, double> taken = {};  // at most, and in all
    std::size_t before = 0;
  };
  std::vector<std::vector<Way>> ways;
  for (std::size_t i = 0; i < path.stops.size(); ++i) {
    std::vector<Way> mine;
    for (const Cut& cut : ways_to_cut(path, i, placement)) mine.push_back({cut});
    if (mine.empty()) mine.emplace_back();
    for (Way& way : mine)
      for (std::size_t k = 0; i > 0 && k < ways.back().size(); ++k) {
        const auto& [cut, most, first] = ways.back()[k];
        const double now = taken_between(path, i - 1, cut, way.cut, placement);
        const std::pair taken(std::max(most.first, now), most.second + now);
        if (k == 0 || taken < way.taken) way.taken = taken, way.before = k;
      }
    ways.push_back(std::move(mine));
  }
  std::vector<Cut> cuts(path.stops.size());
  const auto best = std::ranges::min_element(ways.back(), {}, &Way::taken);
  auto k = static_cast<std::size_t>(best - ways.back().begin());
  for (std::size_t i = path.stops.size(); i-- > 0; k = ways[i][k].before) cuts[i] = ways[i][k].cut;
  return cuts;
}

// What stands in parts that have something of all that comes need not come part by part.
bool comes_otherwise(const Path& path, std::size_t i) {
  const Stop& stop = path.stops[i];
  return transforms_at(stop, stop.cut.slot) && (stop.cells || !has_same_parts(path.stops[i - 1], stop, stop.cut.slot));
}

void cut_by_peer(Path& path, std::size_t i, const Cut& before, const Cut& parts) {
  Stop& stop = path.stops[i];
  const Blocks blocks = blocks_between(path, i - 1, before, parts);
  stop.by_peer = blocks.by_peer;
  if (parts.count == 1)
    stop.cut = blocks.cut;
  else if (blocks.by_peer || transforms_at(stop, parts.slot))
    stop.arrives = blocks.cut;
}

}  // namespace

void cut_into_rounds(Path& path, const PlanOptions& options) {
  const std::vector<Cut> parts = parts_of(path, options.placement);
  for (std::size_t i = 0; i < path.stops.size(); ++i) {
    Stop& stop = path.stops[i];
    const bool fold = stop.cells && i + 1 < path.stops.size() && !goes_as_blocks(path);
    const Cut rounds = i == 0 || fold ? Cut{} : cut_for_rounds(path, i);
    stop.cut = parts[i].count > 1 ? parts[i] : rounds;
    if (parts[i].count > 1 && i > 0 && comes_otherwise(path, i)) stop.arrives = rounds;
    if (goes_by_peer(path) && i > 0 && !stop.cells) cut_by_peer(path, i, parts[i - 1], parts[i]);
  }
}

}  // namespace kallima
