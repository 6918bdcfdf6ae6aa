// How the work of a path is cut: what comes to a stop into chunks, so that messages travel meanwhile and memory is free
// part by part, and what the first stop makes into slices, of which some are sent early.

#include <algorithm>

#include "plan/exchange/axes.hpp"
#include "plan/exchange/path.hpp"

namespace kallima {
namespace {

constexpr Index usual_slices = 8;
constexpr Index full_vector = 16;       // lines side by side
constexpr Index small_parts = 16;       // of which a few have room besides everything, if messages are then long enough
constexpr Index usual_row = 32;         // elements
constexpr Index usual_message = 32768;  // elements: what a message should have at least, if that takes many chunks
constexpr Index least_message = 2048;   // and where the caller's sizes leave less,
constexpr Index small_message = 512;    // or where that saves memory,
constexpr Index tiny_message = 32;      // and much of it
constexpr Index most_pieces = 32768;    // that one pass reads or writes: with many ranks, few parts
constexpr Index fewest_streamed = 6;    // parts, of which one at a time takes memory twice

int more_parts(const Path& path) { return std::max(0, path.thrift - most_thrift_of_early); }  // twice as many, ...

bool overlaps(const PlanOptions& options) {
  return options.exchange == Exchange::messages && options.overlap != Overlap::off;
}

}  // namespace

bool needs_parts(const Path& path, std::size_t i, const PlanOptions& options) {
  if (options.exchange == Exchange::messages) return overlaps(options);
  const std::vector<Transform>& all = path.stops[i].transforms;
  return !path.open && (i + 1 < path.stops.size() || std::any_of(all.begin(), all.end(), changes));
}

Index peers_of(const Path& path, std::size_t i) {
  const Stop& before = path.stops[i - 1];
  const Spread& spread = before.left ? before.left->spread : worked(before).spread;
  if (path.stops[i].cells || path.stops[i].seen || before.left) return spread.ranks();
  return std::max<Index>(1, spread.owner_count(typical(path.stops[i].held.spread)));
}

namespace {

// Into how many parts what comes to a stop is cut.
Index chunks_of(const Path& path, std::size_t i, std::size_t slot, const PlanOptions& options) {
  const Held& held = path.stops[i].held;
  const Block mine = typical(held.spread);
  const Index all = mine[slot].count;
  const Index peers = peers_of(path, i);
  const auto of_all = [&](Index wanted) {  // alike for all ranks where factors divide the axes
    const Index most = std::max<Index>(1, std::min(wanted, all)), even = divisor_at_most(all, wanted);
    return path.even && (even >= std::min(most, fewest_streamed) || !path.radices.empty()) ? even : most;
  };
  if (options.chunks > 0) return of_all(options.chunks);
  if (!needs_parts(path, i, options)) return 1;
  const Index to_one = words(count_of(mine), held.data) / std::max<Index>(1, peers);
  const Index least = path.even || to_one / fewest_chunks >= tiny_message ? fewest_chunks : 1;
  const Index size = path.even ? usual_message : least_message;
  const Index most = path.even ? most_chunks : small_parts;
  Index wanted = std::clamp(to_one / size, least, most);
  const bool lands = options.exchange == Exchange::messages || path.stops[i].cells;
  if (lands && wanted < small_parts && to_one / small_parts >= small_message) wanted = small_parts;
  if (!lands) wanted = std::min(wanted, fewest_chunks);  // what is read where it stands takes no more memory than that
  wanted <<= more_parts(path);
  return of_all(std::min(wanted, std::max<Index>(1, most_pieces / peers)));
}

// Whether neighbours in memory would be torn apart into short rows.
bool makes_short_rows(const Block& mine, std::size_t slot) {
  return slot + 1 == mine.size() && mine[slot].count < fewest_chunks * usual_row;
}

// Along which slot: one that is left alone here and at as many of the next stops as possible, if it can be cut into
// enough parts, or one whose transform can wait until all parts are there.
std::optional<std::size_t> cut_slot(const Path& path, std::size_t i) {
  const Spread& spread = path.stops[i].held.spread;
  const Block mine = typical(spread);
  const std::vector<Transform>& all = path.stops[i].transforms;
  const Index wanted = fewest_chunks << more_parts(path);
  std::optional<std::size_t> best;
  std::pair<Index, std::size_t> most{1, 0};
  for (std::size_t s = 0; s < mine.size(); ++s) {
    std::size_t free = path.stops[i].seen ? 1 : 0;  // transforms are done in other slots
    while (i + free < path.stops.size() && !path.stops[i + free].seen &&
           s < path.stops[i + free].held.spread.shape().size() && !transforms_at(path.stops[i + free], s))
      ++free;
    std::pair<Index, std::size_t> worth{free > 0 ? std::min(mine[s].count, wanted) : 1, free};
    if (path.thrift <= 1 && makes_short_rows(mine, s)) worth.first = std::min(worth.first, fewest_streamed - 1);
    if (worth > most) best = s, most = worth;
  }
  const Held& before = path.stops[i - 1].left ? *path.stops[i - 1].left : worked(path.stops[i - 1]);
  const Index enough = more_parts(path) > 0 ? wanted : fewest_streamed;
  if (most.first >= enough || path.stops[i].seen || path.stops[i].cells || !before.spread.is_product()) return best;
  // Complex numbers that become real when all of them are there.
  if (i + 1 == path.stops.size() && !all.empty() && all.back().kind == Kind::half_to_real && all.size() > 1 &&
      before.spread.whole(all.back().slot) && mine[all.back().slot].count >= 2 * fewest_chunks)
    return all.back().slot;
  const auto dealt = [&](const Transform& t) { return !before.spread.whole(t.slot); };
  const auto back = std::find_if(all.begin(), all.end(), dealt);
  for (const Transform& t : all)
    if (back != all.end() && !changes(*back) && t.slot != back->slot && t.length >= 2 * fewest_chunks && !changes(t))
      return t.slot;
  return best;
}

// The slowest slot that the first stop leaves alone.
Cut slices_of(const Path& path, const PlanOptions& options) {
  const Stop& stop = path.stops.front();
  const Held& held = worked(stop);
  const Block mine = typical(held.spread);
  const Cut& next = path.stops[1].cut;
  const bool same_slots = !stop.left && !path.stops[1].cells;
  if (same_slots && next.count > 1 && !transforms_at(stop, next.slot) &&
      held.spread.same_in(next.slot, path.stops[1].held.spread))
    return next;
  Cut cut;
  Index front = -1;
  for (const Transform& t : stop.transforms) front = t.modulus > 0 ? static_cast<Index>(t.by.front().first) : front;
  const auto most = [&](std::size_t s) {  // of the fastest slot, slices of as many lines as fill vectors
    if (options.slices > 0) return options.slices;
    if (options.exchange == Exchange::messages || s + 1 < mine.size()) return usual_slices;
    return std::clamp(mine[s].count / full_vector, Index{1}, usual_slices);
  };
  for (std::size_t s = mine.size(); s-- > 0;)
    if (!transforms_at(stop, s) && mine[s].count > 1 && (static_cast<Index>(s) != front || cut.count == 1))
      cut = {s, std::min(mine[s].count, most(s))};
  return cut;
}

// Three in eight slices are early: at the balance of computing and exchanging they travel while the others are
// computed, and chunks arrive from then on. Fewer, where what has landed would then take too much room beside what is
// sent.
Index early_slices(const Path& path, const PlanOptions& options) {
  const Index slices = path.stops.front().cut.count, chunks = path.stops[1].cut.count;
  const double share = 1 - 1.0 / static_cast<double>(peers_of(path, 1));
  const bool in_place = options.placement == Placement::in_place;
  if (in_place && path.exchanges() > 1) return 0;
  const auto& last = path.stops[1].transforms;
  const bool converts = std::any_of(last.begin(), last.end(), changes);
  const double spare = (in_place ? 1.28 : 1.18) - (in_place || converts ? 1 : share) -
                       (converts ? 2.0 / static_cast<double>(chunks) : 0);
  Index early = 3 * slices / 8;
  const auto landing = [&] {
    const double first = static_cast<double>(early) / static_cast<double>(slices);
    return share * (first + (1 - first) * std::min(1.0, 3.0 / static_cast<double>(chunks)));
  };
  while (early > 0 && chunks > 1 && landing() > spare) --early;
  return std::max<Index>(0, early - path.thrift);
}

// Whether what the first stop makes on its way to blocks has no room but the work buffer, where the blocks are, too. A
// single transform makes the blocks themselves; these are cut where memory is short, so that most of them fit `out`.
bool needs_slices(const Path& path, Placement placement) {
  const std::vector<Transform>& done = path.stops.front().transforms;
  if (path.thrift == 0 && done.size() < 2 && std::none_of(done.begin(), done.end(), changes)) return false;
  const Held made = after(worked(path.stops.front()), done);
  const auto differs = [&](int rank) {  // and ranks in the middle may have a little more
    const Index mine = words_of(made, rank), out = words_of(path.out, rank);
    return mine != out && 20 * mine > 19 * out;
  };
  return placement == Placement::in_place || differs(0) || differs(std::max(0, made.spread.active() - 1));
}

// Whether what is made of a part of a stop can be sent on before the next part comes.
bool can_stream(const Path& path, std::size_t i) {
  const Stop &stop = path.stops[i], &next = path.stops[i + 1];
  return !stop.left && !stop.seen && !next.cells && !next.seen && stop.cut.count >= fewest_streamed &&
         !transforms_at(stop, stop.cut.slot);
}

// Views: all blocks stand in the work buffer, so what is made of a part takes the place of that part. After slices that
// hold something of all parts of the next stop, everything is put together there before it goes on.
void stream_views(Path& path) {
  for (std::size_t i = 1; i + 1 < path.stops.size(); ++i) {
    Stop &stop = path.stops[i], &next = path.stops[i + 1];
    stop.streams = can_stream(path, i) && path.stops[i - 1].early == 0;
    const bool alike = stop.cut == next.cut && worked(stop).spread.same_in(stop.cut.slot, next.held.spread);
    if (stop.streams && !alike) stop.early = stop.cut.count;
  }
}

// Messages: blocks may stand in `out` until the result does, so those that a stop reads can stand in one of the two
// buffers and those that it makes in the other. The last ones stand in the work buffer, and so do the first ones where
// `out` is still the input.
void stream_messages(Path& path, Placement placement) {
  for (std::size_t i = path.stops.size() - 1; i-- > 1;) {
    const bool from_out = i == 1 ? placement == Placement::out_of_place : can_stream(path, i - 1);
    const bool whole = path.stops[i].cells || !path.stops[i].held.spread.is_product() ||
                       !worked(path.stops[i - 1]).spread.is_product();  // parts are put together in `out`
    if (!can_stream(path, i) || !from_out || whole) continue;
    path.stops[i].streams = true;
    if (i > 1) path.stops[--i].streams = true;
  }
}

}  // namespace

void cut_work(Path& path, const PlanOptions& options) {
  for (std::size_t i = path.stops.size(); i-- > 1;) {
    Stop& stop = path.stops[i];
    Cut& cut = stop.seen ? stop.arrives.emplace() : stop.cut;
    const auto slot = cut_slot(path, i);
    if (!slot) continue;
    cut.slot = *slot;
    cut.count = chunks_of(path, i, cut.slot, options);
    if (!path.radices.empty() && i == path.tree_stop + 1) cut.strided = true;
  }
  if (options.exchange == Exchange::views)
    stream_views(path);
  else
    stream_messages(path, options.placement);
  if (path.stops.size() == 1) return;
  Stop& first = path.stops.front();
  const auto stays = [&](const Transform& t) { return path.stops[1].held.spread.whole(t.slot); };
  const bool stands = path.open && !first.left && !path.stops[1].cells && std::ranges::all_of(first.transforms, stays);
  if (options.exchange == Exchange::views && path.radices.empty() && !stands && needs_slices(path, options.placement))
    first.cut = slices_of(path, options);
  if (!overlaps(options) || !path.radices.empty() || options.alltoall == Alltoall::bruck) return;
  if (first.transforms.empty()) return;
  first.cut = slices_of(path, options);
  if (!(first.cut == path.stops[1].cut) && !path.stops[1].streams) first.early = early_slices(path, options);
}

}  // namespace kallima
