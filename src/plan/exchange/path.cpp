#include "plan/exchange/path.hpp"

#include <algorithm>

#include "plan/exchange/axes.hpp"

namespace kallima {
namespace {

constexpr Index usual_slices = 8;
constexpr Index fewest_chunks = 8;
constexpr Index most_chunks = 32;
constexpr Index usual_message = 32768;  // elements: what a message should have at least, if that takes many chunks
constexpr Index least_message = 2048;   // and where the caller's sizes leave less
constexpr Index most_pieces = 4096;     // that one pass reads or writes: with many ranks, few parts

bool changes(const Transform& t) { return t.kind == Kind::real_to_half || t.kind == Kind::half_to_real; }

const Held& worked(const Stop& stop) { return stop.seen ? *stop.seen : stop.held; }

bool transforms_at(const Stop& stop, std::size_t slot) {
  return std::any_of(stop.transforms.begin(), stop.transforms.end(),
                     [&](const Transform& t) { return t.slot == slot; });
}

}  // namespace

Held after(const Held& held, const std::vector<Transform>& transforms) {
  Held now = held;
  for (const Transform& t : transforms) {
    if (!changes(t)) continue;
    const bool halves = t.kind == Kind::real_to_half;
    now.spread = now.spread.with_extent(t.slot, halves ? t.length / 2 + 1 : t.length);
    now.data = halves ? Data::complex_ : Data::real_;
    now.storage = {};
  }
  return now;
}

Path reversed(const Path& path) {
  Path back{.stops = {}, .out = path.stops.front().held};
  for (std::size_t i = path.stops.size(); i-- > 0;) {
    const Stop& stop = path.stops[i];
    Stop& other = back.stops.emplace_back(Stop{.held = after(stop.held, stop.transforms)});
    if (i + 1 == path.stops.size()) other.held = path.out;
    for (std::size_t k = stop.transforms.size(); k-- > 0;) {
      Transform t = stop.transforms[k];
      t.kind = inverse(t.kind);
      other.transforms.push_back(t);
    }
  }
  return back;
}

namespace {

// Fourier transforms of complex numbers that can be done later, too: the exchange before them then has less to wait
// for. One that is dealt out next is left, to be done while blocks are packed.
void defer(Stop& stop, Stop& next) {
  if (stop.left || next.seen || next.cells || stop.transforms.empty()) return;
  const bool real = after(worked(stop), stop.transforms).data == Data::real_;
  const auto movable = [&](const Transform& t) {
    return t.kind == Kind::fourier && t.modulus == 0 && !real && next.held.spread.whole(t.slot) &&
           next.held.data == Data::complex_;
  };
  std::vector<Transform> later;
  std::copy_if(stop.transforms.begin(), stop.transforms.end(), std::back_inserter(later), movable);
  std::erase_if(stop.transforms, movable);
  next.transforms.insert(next.transforms.begin(), later.begin(), later.end());
}

// Stops between which nothing moves are one.
void merge(Path& path) {
  for (std::size_t i = 0; i + 1 < path.stops.size();) {
    Stop &stop = path.stops[i], &next = path.stops[i + 1];
    bool same =
        !stop.left && !next.cells && !next.seen && stop.held.spread.is_product() && next.held.spread.is_product();
    const Held held = after(worked(stop), stop.transforms);
    for (std::size_t s = 0; same && s < held.spread.shape().size(); ++s)
      same = held.spread.same_in(s, next.held.spread);
    if (!same) {
      ++i;
      continue;
    }
    stop.transforms.insert(stop.transforms.end(), next.transforms.begin(), next.transforms.end());
    stop.result = next.result;
    stop.left = next.left;
    path.stops.erase(path.stops.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
}

// What the first of the ranks owns that own anything.
Block typical(const Spread& spread) {
  Block block = spread.owned(0);
  for (int rank = 1; rank < spread.ranks() && count_of(block) == 0; ++rank) block = spread.owned(rank);
  return block;
}

bool overlaps(const PlanOptions& options) {
  return options.exchange == Exchange::messages && options.overlap != Overlap::off;
}

// Ranks that a rank's part of a stop comes from.
Index peers_of(const Path& path, std::size_t i) {
  const Stop& before = path.stops[i - 1];
  const Spread& spread = before.left ? before.left->spread : worked(before).spread;
  if (path.stops[i].cells || path.stops[i].seen || before.left) return spread.ranks();
  return std::max<Index>(1, static_cast<Index>(spread.owners(typical(path.stops[i].held.spread)).size()));
}

// Into how many parts what comes to a stop is cut.
Index chunks_of(const Path& path, std::size_t i, std::size_t slot, const PlanOptions& options) {
  const Held& held = path.stops[i].held;
  const Block mine = typical(held.spread);
  const Index all = mine[slot].count;
  const Index peers = peers_of(path, i);
  const auto of_all = [&](Index wanted) {  // alike for all ranks where factors divide the axes
    return path.even ? divisor_at_most(all, wanted) : std::max<Index>(1, std::min(wanted, all));
  };
  if (options.chunks > 0) return of_all(options.chunks);
  const bool through = i + 1 < path.stops.size();  // what is read here is sent again, and both must have room
  if (!overlaps(options) && !(through && options.exchange == Exchange::views)) return 1;
  const Index to_one = words(count_of(mine), held.data) / std::max<Index>(1, peers);
  const Index least = path.even ? fewest_chunks : 1;
  const Index size = path.even ? usual_message : least_message;
  const Index most = path.even ? most_chunks : fewest_chunks;
  const Index wanted = std::min(std::clamp(to_one / size, least, most), std::max<Index>(1, most_pieces / peers));
  return of_all(wanted);
}

// Along which slot: one that is left alone here and at as many of the next stops as possible, if it can be cut at all.
std::size_t cut_slot(const Path& path, std::size_t i) {
  const Spread& spread = path.stops[i].held.spread;
  const Block mine = typical(spread);
  std::size_t best = 0;
  std::pair<bool, std::size_t> most{false, 0};
  for (std::size_t s = 0; s < mine.size(); ++s) {
    std::size_t free = 0;
    while (i + free < path.stops.size() && !path.stops[i + free].seen &&
           s < path.stops[i + free].held.spread.shape().size() && !transforms_at(path.stops[i + free], s))
      ++free;
    const std::pair<bool, std::size_t> worth{mine[s].count > 1 && free > 0, free};
    if (worth > most) best = s, most = worth;
  }
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
  for (std::size_t s = mine.size(); s-- > 0;)
    if (!transforms_at(stop, s) && mine[s].count > 1 && (static_cast<Index>(s) != front || cut.count == 1))
      cut = {s, std::min(mine[s].count, options.slices > 0 ? options.slices : usual_slices)};
  return cut;
}

// Three in eight slices are early: at the balance of computing and exchanging they travel while the others are
// computed, and chunks arrive from then on. Fewer, where what has landed would then take too much room beside what is
// sent.
Index early_slices(const Path& path, const PlanOptions& options) {
  const Index slices = path.stops.front().cut.count, chunks = path.stops[1].cut.count;
  const double share = 1 - 1.0 / static_cast<double>(peers_of(path, 1));
  const bool in_place = options.placement == Placement::in_place;
  const double spare = (in_place ? 1.28 : 1.18) - (in_place ? 1 : share);
  Index early = 3 * slices / 8;
  const auto landing = [&] {
    const double first = static_cast<double>(early) / static_cast<double>(slices);
    return share * (first + (1 - first) * std::min(1.0, 3.0 / static_cast<double>(chunks)));
  };
  while (early > 0 && chunks > 1 && landing() > spare) --early;
  return early;
}

// What a stop in the middle reads and sends on goes part by part, so that memory is free again part by part.
void send_by_parts(Path& path) {
  for (std::size_t i = 1; i + 1 < path.stops.size(); ++i) {
    Stop &stop = path.stops[i], &next = path.stops[i + 1];
    const bool alike = stop.cut == next.cut && worked(stop).spread.same_in(stop.cut.slot, next.held.spread);
    if (stop.left || stop.seen || next.cells || next.seen || stop.cut.count == 1 || alike) continue;
    stop.early = stop.cut.count;
  }
}

}  // namespace

void settle(Path& path, const PlanOptions& options) {
  for (Stop& stop : path.stops)  // of one point the Fourier transform is the point
    std::erase_if(stop.transforms,
                  [&](const Transform& t) { return t.kind == Kind::fourier && t.length == 1 && t.modulus == 0; });
  merge(path);
  for (std::size_t i = 0; i + 1 < path.stops.size(); ++i) defer(path.stops[i], path.stops[i + 1]);
  for (std::size_t i = path.stops.size(); i-- > 1;) {
    Stop& stop = path.stops[i];
    Cut& cut = stop.seen ? stop.arrives : stop.cut;
    cut.slot = cut_slot(path, i);
    if (stop.seen || !transforms_at(stop, cut.slot)) cut.count = chunks_of(path, i, cut.slot, options);
    if (!path.radices.empty() && i == path.tree_stop + 1) cut.strided = true;
  }
  send_by_parts(path);
  if (path.stops.size() == 1 || !overlaps(options) || !path.radices.empty() || options.alltoall == Alltoall::bruck)
    return;
  Stop& first = path.stops.front();
  if (first.transforms.empty()) return;
  first.cut = slices_of(path, options);
  if (!(first.cut == path.stops[1].cut)) first.early = early_slices(path, options);
}

}  // namespace kallima
