#include "plan/exchange/messages.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace kallima {
namespace {

constexpr Index shortest_run = 4;  // elements: with complex doubles, a cache line

// Whether factors depend on an index that a later transform replaces.
bool precedes(const Transform& t, const Transform& later) {
  return std::any_of(t.by.begin(), t.by.end(), [&](const auto& factor) { return factor.first == later.slot; });
}

// Whether slots of one axis stand so that neighbours along the second are neighbours in memory.
bool stands_inside(const Held& held, std::size_t outer, std::size_t inner) {
  return std::any_of(held.axes.begin(), held.axes.end(), [&](const std::vector<std::size_t>& slots) {
    const auto from = std::find(slots.begin(), slots.end(), outer);
    return from != slots.end() && std::find(from, slots.end(), inner) != slots.end();
  });
}

}  // namespace

Messages::Messages(const Path& path, const PlanOptions& options, int rank) : path_(path), options_(options), me_(rank) {
  for (const Stop& s : path.stops) active_ = std::max(active_, s.held.spread.active());
  for (std::size_t i = 0; i < path.stops.size(); ++i) work_.push_back(work_at(i));
  if (path.thrift == thrift_at_once) leave_out_arrays();
}

// What goes all at once stands in the work buffer and in `out` by turns: arrays, the blocks that are made of them, and
// those that come. The last one before the result is in the work buffer, so that `out` is free. An array between two
// exchanges that would be in `out` is left out: it may be a little too large for that.
void Messages::leave_out_arrays() {
  bool in_out = !arrives_final(path_.stops.size() - 1);
  for (std::size_t i = path_.stops.size() - 1; i-- > 1;) {
    Work& w = work_[i];
    w.through = w.through || (in_out && w.to_blocks);
    if (w.through) w.front = w.back;
    if (!w.through) in_out = !in_out;
  }
}

// Row-major, with two exceptions. Where a tree of classes makes it, the slots of the axis that it splits come first.
// And where the receiver transforms along the last slot and leaves results that stand the other way round, the two
// slots of that axis change places: it takes many lines at once, and then finds their elements side by side; the sender
// has its own, shorter lines in cache when it turns them.
Strided Messages::packed(std::size_t exchange, const Block& block, Index offset) const {
  const std::optional<Transform>&front = work_[exchange].front, &back = work_[exchange + 1].back;
  const std::size_t last = block.size() - 1;
  const bool tree = exchange == path_.tree_stop && !path_.radices.empty();
  const bool turned = !tree && front && back && back->slot == last && block[front->slot].count >= shortest_run &&
                      stands_inside(work_[exchange + 1].done, last, front->slot);
  if (!tree && !turned) return kallima::packed(block, offset);
  std::vector<std::size_t> order;
  if (tree) order = {front->slot, front->by.front().first};
  for (std::size_t k = 0; k < block.size(); ++k)
    if (!tree || (k != order[0] && k != order[1])) order.push_back(k);
  if (turned) std::swap(order[front->slot], order[last]);
  Strided place{offset, std::vector<Index>(block.size(), 1)};
  Index stride = 1;
  for (std::size_t i = order.size(); i-- > 0; stride *= block[order[i]].count) place.strides[order[i]] = stride;
  return place;
}

// Of several exchanges by messages only in the last: blocks of the others may stand in the caller's memory, and so may
// all of them where memory is scarcest.
bool Messages::near(std::size_t exchange, int peer) const {
  if (goes_as_blocks(path_)) return false;
  const bool views = options_.exchange == Exchange::views;
  const std::vector<int>& nodes = options_.nodes;
  if (nodes.empty()) return views;
  const bool last = exchange + 2 == path_.stops.size() && options_.alltoall != Alltoall::bruck;
  return (views || last) && nodes[at(peer)] == nodes[at(me_)];
}

// At every step each rank sends to a different one: exclusive or where the number of ranks allows it (Sahay's order),
// any Latin square otherwise. The own block is last.
int Messages::distance(int from, int to) const {
  const bool digits = std::has_single_bit(static_cast<unsigned>(active_)) && from < active_;
  if (options_.alltoall == Alltoall::pairwise) return to == from ? active_ - 1 : (to ^ from) - 1;
  if (options_.alltoall == Alltoall::automatic && digits) return to ^ (active_ - 1 - from);
  return (to - from - 1 + active_) % active_;
}

const Held& Messages::leaves(std::size_t exchange) const {
  const Stop& s = path_.stops[exchange];
  return s.left ? *s.left : work_[exchange].done;
}

// A transform can be done while blocks are unpacked if its slot was dealt out before, while they are packed if it will
// be. What changes the data must come in its turn.
Work Messages::work_at(std::size_t i) const {
  const Stop& s = path_.stops[i];
  const bool last = i + 1 == path_.stops.size();
  const Held& held = s.seen ? *s.seen : s.held;
  Work w{.held = held, .done = last ? path_.out : s.result ? *s.result : after(held, s.transforms)};
  if (!last && !s.transforms.empty()) w.done.storage = {};
  w.alone = s.transforms;
  if (goes_in_rounds(path_)) return w;
  if (i > 0 && !s.seen && !s.cells && held.spread.is_product() && leaves(i - 1).spread.is_product()) {
    const auto changing = std::find_if(w.alone.begin(), w.alone.end(), changes);
    const auto end = changing == w.alone.begin() && changing != w.alone.end() ? changing + 1 : changing;
    const auto dealt = [&](const Transform& t) { return !leaves(i - 1).spread.whole(t.slot); };
    const auto found = std::find_if(w.alone.begin(), end, dealt);
    if (found != end && std::none_of(w.alone.begin(), found, [&](const Transform& t) { return precedes(t, *found); })) {
      w.back = *found;
      w.alone.erase(found);
    }
  }
  if (last && !w.alone.empty() && changes(w.alone.back()) && s.cut.count > 1 && w.alone.back().slot == s.cut.slot) {
    w.late = w.alone.back();
    w.alone.pop_back();
  }
  if (last || s.left || path_.stops[i + 1].cells || !held.spread.is_product()) return w;
  const Spread& next = path_.stops[i + 1].held.spread;
  if (!next.is_product()) return w;
  w.to_blocks = w.alone.empty() && w.back && !next.whole(w.back->slot);
  w.through = s.streams && w.to_blocks;
  if (w.through) w.front = w.back;
  const auto changing = std::find_if(w.alone.begin(), w.alone.end(), changes);
  for (std::size_t k = w.alone.size(); k-- > 0 && !w.front;) {
    const auto at = w.alone.begin() + static_cast<std::ptrdiff_t>(k);
    const bool must_wait = changing != w.alone.end() && at <= changing && k + 1 < w.alone.size();
    const auto waits = [&](const Transform& t) { return precedes(*at, t); };
    if (next.whole(at->slot) || must_wait || std::any_of(at + 1, w.alone.end(), waits)) continue;
    w.front = *at;
    w.alone.erase(at);
  }
  return w;
}

bool Messages::arrives_final(std::size_t i) const {
  const std::vector<Transform>& all = work_[i].alone;
  return i + 1 == path_.stops.size() && !path_.stops[i].seen && !work_[i].late &&
         std::none_of(all.begin(), all.end(), is_special);
}

bool Messages::is_cut_later(std::size_t i) const {
  const Work& w = work_[i];
  const Cut& cut = path_.stops[i].cut;
  const auto along = [&](const Transform& t) { return t.slot == cut.slot; };
  return cut.count > 1 &&
         (std::any_of(w.alone.begin(), w.alone.end(), along) || (path_.thrift == 0 && w.front && along(*w.front)));
}

bool Messages::joins_parts(std::size_t i) const {
  const Work& w = work_[i];
  const Cut& cut = path_.stops[i].cut;
  return i > 0 && cut.count > 1 && !is_cut_later(i) && (w.late || (w.front && w.front->slot == cut.slot));
}

bool Messages::by_part(std::size_t i) const {
  const Stop& s = path_.stops[i];
  const Work& w = work_[i];
  const bool tree = i == path_.tree_stop && !path_.radices.empty();
  if (goes_in_rounds(path_))
    return s.cut.count > 1 && !s.cut.strided && can_be_in_parts(s, s.cut.slot) &&
           (i + 1 < path_.stops.size() || !arrives_final(i));
  if (s.cut.count == 1 || s.seen || tree || w.through || is_cut_later(i)) return false;
  if (i > 0 && w.alone.empty() && !w.back && !w.front && !w.late) return false;
  if (i + 1 == path_.stops.size()) return i > 0 && !arrives_final(i);
  return i == 0 ? w.front || packs_parts(i) : !s.left;
}

bool Messages::comes_by_part(std::size_t i) const { return by_part(i) && !path_.stops[i].arrives; }

bool Messages::packs_parts(std::size_t i) const {
  const Stop& s = path_.stops[i];
  const std::vector<Transform>& all = work_[i].alone;
  return i == 0 && !goes_in_rounds(path_) && path_.exchanges() > 0 && s.cut.count > 1 && !work_[i].front && !s.left &&
         !path_.stops[1].cells && std::any_of(all.begin(), all.end(), changes);
}

bool Messages::goes_at_once(std::size_t exchange) const {
  const bool in_one_part = path_.stops[exchange].early == 0 && arriving(path_.stops[exchange + 1]).count == 1;
  return path_.thrift > 0 && !goes_in_rounds(path_) && options_.exchange == Exchange::messages &&
         options_.nodes.empty() && in_one_part &&
         (path_.thrift == thrift_at_once || exchange + 2 == path_.stops.size());
}

// In place the result would be written over what others read.
bool Messages::stands(std::size_t exchange) const {
  const Stop &from = path_.stops[exchange], &to = path_.stops[exchange + 1];
  const bool same_slots = !from.seen && !from.left && !from.result && !to.seen && !to.cells;
  const bool one_array = options_.placement == Placement::in_place && exchange == 0 && path_.stops.size() == 2;
  return path_.open && same_slots && !one_array && !work_[exchange].front && from.cut.count == 1 &&
         !from.streams && !to.streams && leaves(exchange).spread.is_product() && to.held.spread.is_product();
}

Strided Messages::standing(std::size_t exchange, int owner, const Block& block) const {
  return place_in(leaves(exchange), owner, block);
}

Strided Messages::come(std::size_t exchange, const BlockMessage& m) const {
  if (!stands(exchange)) return packed(exchange, m.index, 0);
  return {0, standing(exchange, m.peer, m.index).strides};
}

bool Messages::keeps_in_place(std::size_t exchange) const {
  const Work &here = work_[exchange], &next = work_[exchange + 1];
  return exchange == 0 && !goes_at_once(0) && options_.placement == Placement::out_of_place && here.front &&
         here.alone.empty() && next.back && !changes(*next.back) && !next.through && !by_part(exchange + 1) &&
         path_.radices.empty();
}

bool Messages::packs_kept(std::size_t exchange) const {
  if (stands(exchange)) return false;
  const bool one_array = options_.placement == Placement::in_place;
  const bool makes_room = path_.thrift == thrift_at_once && !work_[exchange].alone.empty();  // what was made is dead
  return work_[exchange].front ? !keeps_in_place(exchange) : exchange > 0 || one_array || by_part(0) || makes_room;
}

// Early slices are sent as they are made, all chunks together; what the others make, chunk by chunk.
std::vector<Bundle> Messages::bundles(std::size_t exchange) const {
  const Stop &from = path_.stops[exchange], &to = path_.stops[exchange + 1];
  const Index slices = from.left ? 1 : from.cut.count, chunks = arriving(to).count;
  const bool once = is_announced(path_, options_) && !to.streams && !to.cells && !to.seen && from.early == 0;
  const bool alike = slices > 1 && !goes_in_rounds(path_) && !from.left && !to.cells && !to.seen &&
                     from.cut == to.cut && leaves(exchange).spread.same_in(from.cut.slot, to.held.spread);
  int tag = 0;
  for (std::size_t i = 0; i < exchange; ++i)
    tag += static_cast<int>(path_.stops[i].early + arriving(path_.stops[i + 1]).count);
  if (once && !alike) return {{0, slices, 0, chunks, tag}};  // views are announced, not sent
  std::vector<Bundle> all;
  for (Index s = 0; s < from.early; ++s) all.push_back({s, s + 1, 0, chunks, tag++});
  for (Index c = 0; c < chunks && (alike || from.early < slices); ++c)
    all.push_back({alike ? c : from.early, alike ? c + 1 : slices, c, c + 1, tag++});
  return all;
}

std::vector<Bundle> Messages::of(std::size_t exchange) const {
  std::vector<Bundle> all, rounds;
  for (Bundle& b : all = bundles(exchange)) {
    list_sent(exchange, b);
    list_received(exchange, b);
    if (!goes_in_rounds(path_) || path_.stops[exchange + 1].by_peer) continue;
    for (Bundle& round : in_rounds(std::move(b), exchange)) rounds.push_back(std::move(round));
  }
  if (path_.stops[exchange + 1].by_peer) return in_rounds_by_peer(std::move(all), exchange);
  if (goes_in_rounds(path_)) return rounds;
  return all;
}

// The same with another order: by the turn of a pair of ranks, and then by chunks, of which each has its own tag. What
// ranks keep is put in its place before anything else.
std::vector<Bundle> Messages::in_rounds_by_peer(std::vector<Bundle> chunks, std::size_t exchange) const {
  std::vector<Bundle> rounds, pairs;
  std::vector<std::pair<int, std::size_t>> turns;
  for (Bundle& all : chunks) {
    const Bundle empty{all.first_slice, all.last_slice, all.first_chunk, all.last_chunk, all.tag};
    std::map<int, Bundle> by_turn;
    const auto of_turn = [&](int turn) -> Bundle& { return by_turn.try_emplace(turn, empty).first->second; };
    for (BlockMessage& m : all.sent) of_turn(distance(me_, m.peer)).sent.push_back(std::move(m));
    for (BlockMessage& m : all.received) of_turn(distance(m.peer, me_)).received.push_back(std::move(m));
    for (auto& [turn, round] : by_turn) {
      turns.emplace_back(turn, pairs.size());
      pairs.push_back(std::move(round));
    }
    if (!all.kept) continue;
    rounds.push_back(empty);
    rounds.back().kept = std::move(all.kept);
    rounds.back().words_kept = all.words_kept;
  }
  std::ranges::sort(turns);
  for (const auto& [turn, pair] : turns) rounds.push_back(std::move(pairs[pair]));
  for (Bundle& b : rounds) {
    b.words_sent = allot(b.sent, exchange, false);
    b.words_landing = allot(b.received, exchange, true);
  }
  return rounds;
}

// All ranks have the same order of rounds, and each takes as many of them at once as it has room for: whoever waits,
// waits for an earlier round, and nobody in a circle.
std::vector<Bundle> Messages::in_rounds(Bundle all, std::size_t exchange) const {
  const auto array = std::max(words_of(leaves(exchange), me_), words_of(path_.stops[exchange + 1].held, me_));
  const auto leaves_in = [&](const BlockMessage& m) { return distance(me_, m.peer); };
  const auto comes_in = [&](const BlockMessage& m) { return distance(m.peer, me_); };
  std::ranges::stable_sort(all.received, {}, comes_in);
  const Bundle empty{all.first_slice, all.last_slice, all.first_chunk, all.last_chunk, all.tag};
  std::vector<Bundle> rounds{empty};
  Index sent = 0, received = 0;  // words of the last one
  int turn = -1;                 // of its last message
  auto out = all.sent.begin(), in = all.received.begin();
  while (out != all.sent.end() || in != all.received.end()) {
    const bool sends = in == all.received.end() || (out != all.sent.end() && leaves_in(*out) <= comes_in(*in));
    const Index size = words(sends ? out->count : in->count, data(exchange));
    Index& taken = sends ? sent : received;
    const int now = sends ? leaves_in(*out) : comes_in(*in);
    // Whoever waits for one round before the next sends and receives in a turn, or two would wait for each other.
    const bool together = goes_round_by_round(path_) && now == turn;
    if (taken > 0 && (taken + size) * most_rounds > array && !together) {
      rounds.push_back(empty);
      sent = received = 0;
    }
    taken += size;
    turn = now;
    if (sends)
      rounds.back().sent.push_back(std::move(*out++));
    else
      rounds.back().received.push_back(std::move(*in++));
  }
  for (Bundle& b : rounds) {
    b.words_sent = allot(b.sent, exchange, false);
    b.words_landing = allot(b.received, exchange, true);
  }
  rounds.front().kept = std::move(all.kept);
  rounds.front().words_kept = all.words_kept;
  return rounds;
}

Traffic Messages::sent(std::size_t exchange) const {
  Traffic sum;
  const Stop& next = path_.stops[exchange + 1];
  for (Bundle& b : bundles(exchange)) {
    if (!next.cells) {  // of which there may be very many: where they stand is of no interest
      const Share had = had_by(me_, exchange, b);
      for (const Portion& p : next.held.spread.portions(had.taken, arriving(next), b.first_chunk, b.last_chunk)) {
        if (p.rank == me_) continue;
        sum.words += words(count_of(p.block), data(exchange));
        ++sum.messages;
      }
      continue;
    }
    list_sent(exchange, b);
    sum.words += b.words_sent;
    sum.messages += std::ssize(b.sent);
  }
  return sum;
}

// What goes on in other slots than it was made in goes all at once.
Cut Messages::leaving_cut(std::size_t exchange) const {
  return path_.stops[exchange].left ? Cut{} : path_.stops[exchange].cut;
}

Share Messages::had_by(int rank, std::size_t exchange, const Bundle& b) const {
  const Block owned = leaves(exchange).spread.owned(rank);
  return {owned, part_of(owned, leaving_cut(exchange), b.first_slice, b.last_slice)};
}

Share Messages::wanted_by(int rank, std::size_t exchange, const Bundle& b) const {
  const Stop& s = path_.stops[exchange + 1];
  const Block owned = s.held.spread.owned(rank);
  return {owned, part_of(owned, arriving(s), b.first_chunk, b.last_chunk)};
}

// Parts of what a rank owns, as they stand by themselves.
std::vector<SharePart> Messages::parts_of(Share share, std::size_t stop) const {
  std::vector<SharePart> all;
  if (count_of(share.taken) == 0) return all;
  if (!by_part(stop)) return {{0, std::move(share)}};
  const Cut& cut = path_.stops[stop].cut;
  for (Index part = 0; part < cut.count; ++part) {
    const Progression some = part_of(share.owned[cut.slot], cut, part, part + 1);
    const Progression taken = intersection(share.taken[cut.slot], some);
    if (taken.count == 0) continue;
    all.push_back({part, share});
    all.back().share.owned[cut.slot] = some;
    all.back().share.taken[cut.slot] = taken;
  }
  return all;
}

BlockMessage Messages::cells_between(std::size_t exchange, int peer, const std::vector<SharePart>& from,
                                     const std::vector<SharePart>& to) const {
  BlockMessage m{.peer = peer};
  for (const SharePart& had : from)
    for (const SharePart& wanted : to)
      for (Cell& cell : path_.stops[exchange + 1].cells(had.share, wanted.share)) {
        cell.from_part = had.part;
        cell.to_part = wanted.part;
        m.count += cell.count();
        m.cells.push_back(std::move(cell));
      }
  return m;
}

// A rank knows where it stands with itself.
BlockMessage Messages::box(std::size_t exchange, Portion portion, bool sends, bool receives) const {
  BlockMessage m{.peer = portion.rank, .index = std::move(portion.block)};
  m.count = count_of(m.index);
  if ((!sends || work_[exchange].front) && (!receives || work_[exchange + 1].back)) return m;
  Cell& cell = m.cells.emplace_back(Cell{.extents = shape_of(m.index)});
  const Held& final = arrives_final(exchange + 1) ? path_.out : path_.stops[exchange + 1].held;
  if (sends) cell.from = place_in(leaves(exchange), me_, m.index);
  if (receives) cell.to = place_in(final, me_, m.index);
  if (!sends && stands(exchange)) cell.from = come(exchange, m);
  cell.index = m.index;
  return m;
}

// Messages one after the other, each from a whole word on.
Index Messages::allot(std::vector<BlockMessage>& messages, std::size_t exchange, bool only_far) const {
  Index at = 0;
  for (BlockMessage& m : messages) {
    if (only_far && near(exchange, m.peer)) continue;
    m.at = (data(exchange) == Data::real_ ? 2 : 1) * at;
    at += words(m.count, data(exchange));
  }
  return at;
}

void Messages::list_sent(std::size_t exchange, Bundle& b) const {
  const Stop& next = path_.stops[exchange + 1];
  const auto add = [&](BlockMessage m) {
    if (m.peer == me_)
      b.kept = std::move(m);
    else
      b.sent.push_back(std::move(m));
  };
  if (next.cells) {
    const std::vector<SharePart> had = parts_of(had_by(me_, exchange, b), exchange);
    for (int peer = 0; peer < leaves(exchange).spread.ranks(); ++peer)
      if (BlockMessage m = cells_between(exchange, peer, had, parts_of(wanted_by(peer, exchange, b), exchange + 1));
          m.count > 0)
        add(std::move(m));
  } else {
    const Share had = had_by(me_, exchange, b);
    for (Portion& p : next.held.spread.portions(had.taken, arriving(next), b.first_chunk, b.last_chunk)) {
      const bool kept = p.rank == me_;
      add(box(exchange, std::move(p), true, kept));
    }
  }
  std::ranges::stable_sort(b.sent, {}, [&](const BlockMessage& m) { return distance(m.peer); });
  if (!stands(exchange)) b.words_sent = allot(b.sent, exchange, false);
  if (b.kept && packs_kept(exchange)) b.words_kept = words(b.kept->count, data(exchange));
}

void Messages::list_received(std::size_t exchange, Bundle& b) const {
  const Spread& spread = leaves(exchange).spread;
  if (path_.stops[exchange + 1].cells) {
    const std::vector<SharePart> wanted = parts_of(wanted_by(me_, exchange, b), exchange + 1);
    for (int peer = 0; peer < spread.ranks(); ++peer)
      if (peer != me_)
        if (BlockMessage m = cells_between(exchange, peer, parts_of(had_by(peer, exchange, b), exchange), wanted);
            m.count > 0)
          b.received.push_back(std::move(m));
  } else {
    const Share wanted = wanted_by(me_, exchange, b);
    for (Portion& p : spread.portions(wanted.taken, leaving_cut(exchange), b.first_slice, b.last_slice))
      if (p.rank != me_) b.received.push_back(box(exchange, std::move(p), false, true));
  }
  const auto nearer = [&](const BlockMessage& x, const BlockMessage& y) { return distance(x.peer) < distance(y.peer); };
  std::stable_sort(b.received.rbegin(), b.received.rend(), nearer);
  b.words_landing = allot(b.received, exchange, true);
}

}  // namespace kallima
