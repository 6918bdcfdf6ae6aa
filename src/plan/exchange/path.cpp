#include "plan/exchange/path.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <set>

namespace kallima {

const Held& worked(const Stop& stop) { return stop.seen ? *stop.seen : stop.held; }

Cut arriving(const Stop& stop) { return stop.arrives.value_or(stop.cut); }

bool is_announced(const Path& path, const PlanOptions& options) {
  return options.exchange == Exchange::views && options.chunks <= 1 && path.radices.empty() &&
         options.alltoall == Alltoall::automatic && path.thrift < thrift_at_once;
}

bool transforms_at(const Stop& stop, std::size_t slot) {
  return std::any_of(stop.transforms.begin(), stop.transforms.end(),
                     [&](const Transform& t) { return t.slot == slot; });
}

Block typical(const Spread& spread) {
  Block block = spread.owned(0), last = spread.owned(std::max(0, spread.active() - 1));
  for (int rank = 1; rank < spread.ranks() && count_of(block) == 0; ++rank) block = spread.owned(rank);
  return count_of(last) > count_of(block) ? last : block;
}

bool has_same_parts(const Stop& from, const Stop& to, std::size_t slot) {
  const Progression a = typical(worked(from).spread)[slot], b = typical(to.held.spread)[slot];
  return std::abs(a.step * a.count - b.step * b.count) <= std::max(a.step, b.step);
}

bool changes(const Transform& t) { return t.kind == Kind::real_to_half || t.kind == Kind::half_to_real; }

bool is_special(const Transform& t) { return changes(t) || t.modulus > 0; }

bool can_be_in_parts(const Stop& stop, std::size_t slot) {
  return !transforms_at(stop, slot) || stop.transforms.size() == 1 || std::ranges::none_of(stop.transforms, is_special);
}

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

// Views have axes of their own: one that is not there is not whole.
bool is_whole(const Spread& spread, std::size_t slot) { return slot < spread.shape().size() && spread.whole(slot); }

// Fourier transforms of complex numbers that can be done later, too: the exchange before them then has less to wait
// for. One that is dealt out next is left, to be done while blocks are packed, unless it can be done later still. The
// next one is that which comes after `before`.
void defer(Stop& stop, const Stop& before, Stop& next) {
  if (stop.left || next.seen || next.cells || stop.transforms.empty()) return;
  const auto first_there = std::find_if(next.transforms.begin(), next.transforms.end(), changes);
  if (first_there == next.transforms.begin() && first_there != next.transforms.end() &&
      !is_whole(worked(before).spread, first_there->slot))
    return;  // which is then done while blocks are unpacked
  const bool real = after(worked(stop), stop.transforms).data == Data::real_;
  const auto movable = [&](const Transform& t) {
    return t.kind == Kind::fourier && t.modulus == 0 && !real && is_whole(next.held.spread, t.slot) &&
           next.held.data == Data::complex_;
  };
  std::vector<Transform> later;
  std::copy_if(stop.transforms.begin(), stop.transforms.end(), std::back_inserter(later), movable);
  std::erase_if(stop.transforms, movable);
  next.transforms.insert(next.transforms.begin(), later.begin(), later.end());
}

// Where arrays are not packed, what nothing is done to need not be moved either: what can be done at a later stop, is.
// Of a stop where something has to be done in any case, only what another would merely copy.
void defer(Path& path, std::size_t i) {
  Stop& stop = path.stops[i];
  const auto same_slots = [](const Stop& s) { return !s.left && !s.seen && !s.cells; };
  std::size_t end = i + 1;
  while (end < path.stops.size() && same_slots(path.stops[end])) ++end;
  const bool stays = path.open && std::ranges::any_of(stop.transforms, is_special);
  for (std::size_t to = path.open ? end : i + 2; to-- > i + 1;)
    if (to < path.stops.size() && (!stays || path.stops[to].transforms.empty()))
      defer(stop, path.stops[to - 1], path.stops[to]);
}

bool can_be_cut(const Stop& stop) {
  const Block mine = typical(stop.held.spread);
  for (std::size_t s = 0; s < mine.size(); ++s)
    if (mine[s].count >= fewest_chunks && !transforms_at(stop, s)) return true;
  return false;
}

// And the other way round, where all that a rank has is transformed, and nothing is left along which that could be cut
// or, to hide more, where numbers could become real while blocks are unpacked: to the last stop before that can do it.
void advance(Path& path, std::size_t to) {
  Stop& next = path.stops[to];
  const auto halving = std::find_if(next.transforms.begin(), next.transforms.end(), changes);
  const bool waits = path.thrift <= most_thrift_of_early && halving != next.transforms.end() &&
                     halving != next.transforms.begin() && !is_whole(worked(path.stops[to - 1]).spread, halving->slot);
  if (can_be_cut(next) && !waits) return;
  const auto multiplies = [](const Transform& t) { return t.modulus > 0; };
  for (std::size_t i = to; i-- > 0;) {
    Stop& stop = path.stops[i];
    if (stop.left || path.stops[i + 1].seen || path.stops[i + 1].cells) return;
    const Held held = after(worked(stop), stop.transforms);
    auto best = next.transforms.end();
    for (auto t = next.transforms.begin(); t != next.transforms.end() && t->kind == Kind::fourier; ++t)
      if (t->modulus == 0 && t->length >= fewest_chunks && held.data == Data::complex_ &&
          is_whole(held.spread, t->slot) && (best == next.transforms.end() || t->length > best->length))
        best = t;
    if (best != next.transforms.end()) {
      stop.transforms.push_back(*best);
      next.transforms.erase(best);
      return;
    }
    if (std::any_of(stop.transforms.begin(), stop.transforms.end(), multiplies)) return;
  }
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

constexpr Index few_ranks = 64;                     // all of which are looked at,
constexpr Index fewest_ranks = 3, most_ranks = 16;  // or so many besides the first: more,
constexpr Index most_looked_at = 16384;             // if these have fewer messages together,
constexpr Index most_listed = 3 * most_messages;    // of one rank, which is then the only one
constexpr int most_compared = 4096;                 // of which these are chosen
constexpr double unseen = 0.02;                     // of a rank's data: what others may need more,
constexpr double hardly = 0.05;                     // and what is not worth more messages

Index messages_of(const Path& path) {
  Index sum = 0;
  for (std::size_t i = 1; i < path.stops.size(); ++i) {
    const Stop& stop = path.stops[i];
    const Index peers = peers_of(path, i), arriving_parts = arriving(stop).count;
    sum += stop.by_peer ? peers + arriving_parts - 1 : peers * std::max(stop.cut.count, arriving_parts);
  }
  return sum;
}

// The ranks that may need most: those that hold most, at one stop or at all of them together, and some others.
std::set<int> ranks_looked_at(const Path& path) {
  const int ranks = path.even ? 1 : path.stops.front().held.spread.ranks();
  const Index messages = std::max<Index>(1, messages_of(path)), fewer = most_looked_at / messages;
  if (messages > most_messages) return {0};
  const auto count = static_cast<int>(
      std::min<Index>(ranks, std::clamp<Index>(fewer, fewest_ranks, ranks <= few_ranks ? few_ranks : most_ranks) + 1));
  std::vector<std::pair<Index, int>> most(path.stops.size() + 1, {-1, 0});  // at each stop, and at all of them
  for (int rank = ranks - 1; rank >= 0; rank -= std::max(1, ranks / most_compared)) {
    Index sum = words_of(path.out, rank);
    for (std::size_t i = 0; i < path.stops.size(); ++i) {
      const Index held = words_of(worked(path.stops[i]), rank);
      sum += held;
      most[i] = std::max(most[i], {held, rank});
    }
    most.back() = std::max(most.back(), {sum, rank});
  }
  std::set<int> all{0, ranks - 1};
  for (auto it = most.rbegin(); it != most.rend() && std::ssize(all) < count; ++it) all.insert(it->second);
  int step = std::max(1, ranks / count);
  while (std::gcd(step, ranks) > 1) --step;  // not all of one row or column of a grid
  for (Index k = 1; std::ssize(all) < count; ++k) all.insert(static_cast<int>(k * step % ranks));
  return all;
}

// A way to cut a path, and what a rank takes above what it should, in units of the most data that a rank has.
struct CutTrial {
  Path path;
  double above = 0;
  int rank = 0;
};

// Looks at ranks, `rank` before others, until one takes more than `enough` above what it should, or for the one that
// takes most.
void look(CutTrial& trial, const PlanOptions& options, double enough) {
  const Path& path = trial.path;
  const bool in_place = options.placement == Placement::in_place;
  std::set<int> ranks = ranks_looked_at(path);
  ranks.insert(trial.rank);
  const bool all = path.even || std::ssize(ranks) == path.stops.front().held.spread.ranks();
  const double limit = (in_place ? most_in_place : most_out_of_place) - (all ? 0 : unseen);
  const auto callers = [&](int rank) {
    return std::pair{static_cast<double>(words_of(path.stops.front().held, rank)),
                     static_cast<double>(words_of(path.out, rank))};
  };
  double data = 0;
  for (const int rank : ranks) data = std::max({data, callers(rank).first, callers(rank).second});
  std::vector<int> order(ranks.begin(), ranks.end());
  std::ranges::stable_partition(order, [first = trial.rank](int rank) { return rank == first; });
  trial.above = -limit;
  for (auto rank = order.begin(); rank != order.end() && trial.above <= enough; ++rank) {
    const auto [in, out] = callers(*rank);
    const double arrays = in_place ? std::max(in, out) : in + out;
    const double above = (arrays + static_cast<double>(workspace_of(path, options, *rank))) / data - limit;
    if (above > trial.above) trial.above = above, trial.rank = *rank;
  }
}

// The trial that takes least, or hardly more in fewer messages. What is known of each is what one rank takes, and that
// rules out most of them.
Path best_of(std::vector<CutTrial> trials, const PlanOptions& options) {
  std::ranges::stable_sort(trials, {}, &CutTrial::above);
  const CutTrial* best = nullptr;
  for (CutTrial& trial : trials) {
    if (best != nullptr && trial.above > best->above + hardly) break;
    look(trial, options, best != nullptr ? best->above + hardly : std::numeric_limits<double>::max());
    const auto worth = [](const CutTrial& t) { return std::pair(std::ceil(t.above / hardly), messages_of(t.path)); };
    if (best == nullptr || worth(trial) < worth(*best)) best = &trial;
  }
  return best->path;
}

// Whether messages are so many that no rank is looked at: very many, or all that there can be, or many of what is tried
// last.
bool is_too_much(const Path& path) {
  const auto in_one = [](const Stop& s) { return s.cut.count == 1 && arriving(s).count == 1; };
  const bool few_trials = path.thrift <= most_thrift_of_early && !std::ranges::all_of(path.stops, in_one);
  return messages_of(path) > (few_trials ? most_listed : most_messages);
}

void settle_once(Path& path, const PlanOptions& options) {
  for (Stop& stop : path.stops)  // of one point the Fourier transform is the point
    std::erase_if(stop.transforms,
                  [&](const Transform& t) { return t.kind == Kind::fourier && t.length == 1 && t.modulus == 0; });
  merge(path);
  path.open = options.one_process && is_announced(path, options) && options.nodes.empty() && options.slices <= 1 &&
              path.thrift <= most_thrift_of_early;
  for (std::size_t i = 0; i + 1 < path.stops.size() && path.thrift <= most_thrift_of_early; ++i) defer(path, i);
  if (goes_in_rounds(path)) return cut_into_rounds(path, options);
  for (std::size_t i = path.stops.size(); i-- > 1;)
    if (needs_parts(path, i, options)) advance(path, i);
  if (path.thrift < thrift_at_once) cut_work(path, options);
}

// Between arrays whose slots have the same names before and after. Folds of few elements would take many messages to
// save some kilobytes.
bool can_go_in_rounds(const Path& path, const PlanOptions& options) {
  constexpr Index least_folded = 2048;
  const auto folded = [](const Stop& s) { return static_cast<bool>(s.cells); };
  const auto few = [](const Stop& s) { return count_of(typical(s.held.spread)) < least_folded; };
  if (std::ranges::any_of(path.stops, folded) && std::ranges::all_of(path.stops, few)) return false;
  const bool relayed = options.alltoall == Alltoall::bruck || !path.radices.empty();
  return !relayed && std::ranges::none_of(path.stops, [](const Stop& s) { return s.seen || s.left; });
}

constexpr int end_of_thrift = -1;

// What is tried next. Peer by peer takes fewer messages than other rounds, which are tried last.
int thriftier(int thrift, bool rounds, bool one_array) {
  if (thrift < thrift_at_once) return thrift + 1;
  if (thrift == thrift_at_once) return rounds ? thrift_of_peers : end_of_thrift;
  if (thrift == most_thrift) return one_array ? thrift_of_blocks : thrift_of_rounds;
  return thrift + 1 == thrift_of_peers ? end_of_thrift : thrift + 1;
}

}  // namespace

void settle(Path& path, const PlanOptions& options) {
  const auto elements = [](const Held& held) { return count_of(typical(held.spread)); };
  const bool small = std::max(elements(path.stops.front().held), elements(path.out)) < least_elements;
  const bool all_at_once = options.exchange == Exchange::messages && options.overlap == Overlap::off;
  const bool open = !small && path.exchanges() > 0 && options.chunks + options.slices == 0;
  const Path stated = path;
  std::vector<CutTrial> trials;
  const bool one_array = options.placement == Placement::in_place && path.exchanges() == 1;
  const bool rounds = can_go_in_rounds(path, options);
  for (int thrift = all_at_once ? thrift_at_once : 0; thrift != end_of_thrift;
       thrift = thriftier(thrift, rounds, one_array)) {
    path = stated;
    path.thrift = thrift;
    settle_once(path, options);
    if (!open) return;
    if (is_too_much(path)) {
      if (thrift >= thrift_at_once && trials.empty()) return;
      continue;
    }
    const double before = trials.empty() ? 0 : trials.back().above;
    const int rank = trials.empty() ? 0 : trials.back().rank;
    CutTrial& trial = trials.emplace_back(CutTrial{path, 0, rank});
    look(trial, options, 0);
    if (trial.above <= 0) return;
    if (trial.above == before && trial.rank == rank)  // it has nothing more to say
      thrift = std::max(thrift, most_thrift_of_early);
  }
  path = best_of(std::move(trials), options);
}

}  // namespace kallima
