#include "plan/exchange/messages.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace kallima {
namespace {

bool changes(const Transform& t) { return t.kind == Kind::real_to_half || t.kind == Kind::half_to_real; }

Cut arriving_cut(const Stop& s) { return s.seen ? s.arrives : s.cut; }

}  // namespace

bool is_special(const Transform& t) { return changes(t) || t.modulus > 0; }

bool has_special(const std::vector<Transform>& transforms) {
  return std::any_of(transforms.begin(), transforms.end(), is_special);
}

Messages::Messages(const Path& path, const PlanOptions& options, int rank) : path_(path), options_(options), me_(rank) {
  for (const Stop& s : path.stops) active_ = std::max(active_, s.held.spread.active());
  for (std::size_t i = 0; i < path.stops.size(); ++i) work_.push_back(work_at(i));
}

// Row-major; where a tree of classes makes it, the slots of the axis that it splits come first.
Strided Messages::packed(std::size_t exchange, const Block& block, Index offset) const {
  if (exchange != path_.tree_stop || path_.radices.empty()) return kallima::packed(block, offset);
  const Transform& t = *work_[exchange].front;
  std::vector<std::size_t> order{t.slot, t.by.front().first};
  for (std::size_t k = 0; k < block.size(); ++k)
    if (k != order[0] && k != order[1]) order.push_back(k);
  Strided place{offset, std::vector<Index>(block.size(), 1)};
  Index stride = 1;
  for (std::size_t i = order.size(); i-- > 0; stride *= block[order[i]].count) place.strides[order[i]] = stride;
  return place;
}

bool Messages::near(int peer) const {
  if (options_.exchange == Exchange::messages) return false;
  const std::vector<int>& nodes = options_.nodes;
  return nodes.empty() || nodes[static_cast<std::size_t>(peer)] == nodes[static_cast<std::size_t>(me_)];
}

// At every step each rank sends to a different one: exclusive or where the number of ranks allows it (Sahay's order),
// any Latin square otherwise. The own block is last.
int Messages::distance(int peer) const {
  const bool digits = std::has_single_bit(static_cast<unsigned>(active_)) && me_ < active_;
  if (options_.alltoall == Alltoall::pairwise) return peer == me_ ? active_ - 1 : (peer ^ me_) - 1;
  if (options_.alltoall == Alltoall::automatic && digits) return peer ^ (active_ - 1 - me_);
  return (peer - me_ - 1 + active_) % active_;
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
  if (i > 0 && !s.seen && !s.cells && held.spread.is_product() && leaves(i - 1).spread.is_product()) {
    const auto changing = std::find_if(w.alone.begin(), w.alone.end(), changes);
    const auto end = changing == w.alone.begin() && changing != w.alone.end() ? changing + 1 : changing;
    const auto dealt = [&](const Transform& t) { return !leaves(i - 1).spread.whole(t.slot); };
    if (const auto found = std::find_if(w.alone.begin(), end, dealt); found != end) {
      w.back = *found;
      w.alone.erase(found);
    }
  }
  if (last || s.left || path_.stops[i + 1].cells || !held.spread.is_product()) return w;
  const Spread& next = path_.stops[i + 1].held.spread;
  if (!next.is_product()) return w;
  w.through = w.alone.empty() && w.back && !next.whole(w.back->slot);
  if (w.through) w.front = w.back;
  const auto changing = std::find_if(w.alone.begin(), w.alone.end(), changes);
  for (std::size_t k = w.alone.size(); k-- > 0 && !w.front;) {
    const auto at = w.alone.begin() + static_cast<std::ptrdiff_t>(k);
    const bool must_wait = changing != w.alone.end() && at <= changing && k + 1 < w.alone.size();
    if (next.whole(at->slot) || must_wait) continue;
    w.front = *at;
    w.alone.erase(at);
  }
  return w;
}

bool Messages::arrives_final(std::size_t i) const {
  return i + 1 == path_.stops.size() && !path_.stops[i].seen && !has_special(work_[i].alone);
}

bool Messages::keeps_in_place(std::size_t exchange) const {
  const Work &here = work_[exchange], &next = work_[exchange + 1];
  return exchange == 0 && options_.placement == Placement::out_of_place && here.front && here.alone.empty() &&
         next.back && !changes(*next.back) && !next.through && path_.radices.empty();
}

// Early slices are sent as they are made, all chunks together; what the others make, chunk by chunk.
std::vector<Bundle> Messages::of(std::size_t exchange) const {
  const Stop &from = path_.stops[exchange], &to = path_.stops[exchange + 1];
  const Index slices = from.left ? 1 : from.cut.count, chunks = arriving_cut(to).count;
  const bool alike = slices > 1 && !from.left && !to.cells && !to.seen && from.cut == to.cut &&
                     leaves(exchange).spread.same_in(from.cut.slot, to.held.spread);
  std::vector<Bundle> all;
  int tag = 0;
  for (std::size_t i = 0; i < exchange; ++i)
    tag += static_cast<int>(path_.stops[i].early + arriving_cut(path_.stops[i + 1]).count);
  for (Index s = 0; s < from.early; ++s) all.push_back(bundle(exchange, {s, s + 1, 0, chunks, tag++}));
  for (Index c = 0; c < chunks && (alike || from.early < slices); ++c)
    all.push_back(bundle(exchange, {alike ? c : from.early, alike ? c + 1 : slices, c, c + 1, tag++}));
  return all;
}

Share Messages::had_by(int rank, std::size_t exchange, const Bundle& b) const {
  Share share{leaves(exchange).spread.owned(rank), {}};
  const Stop& s = path_.stops[exchange];
  share.taken = s.left ? share.owned : part_of(share.owned, s.cut, b.first_slice, b.last_slice);
  return share;
}

Share Messages::wanted_by(int rank, std::size_t exchange, const Bundle& b) const {
  const Stop& s = path_.stops[exchange + 1];
  Share share{s.held.spread.owned(rank), {}};
  share.taken = part_of(share.owned, arriving_cut(s), b.first_chunk, b.last_chunk);
  return share;
}

// Of boxes of slots, a rank knows where they stand with itself.
BlockMessage Messages::message(std::size_t exchange, int peer, const Share& from, const Share& to, bool sends,
                               bool receives) const {
  BlockMessage m{.peer = peer};
  const Stop& next = path_.stops[exchange + 1];
  if (count_of(from.taken) == 0 || count_of(to.taken) == 0) return m;
  if (next.cells) {
    m.cells = next.cells(from, to);
  } else if (Block shared = common(from.taken, to.taken); count_of(shared) > 0) {
    Cell& cell = m.cells.emplace_back(Cell{.extents = shape_of(shared)});
    if (sends) cell.from = place_in(leaves(exchange), me_, shared);
    if (receives) {
      cell.to = place_in(arrives_final(exchange + 1) ? path_.out : next.held, me_, shared);
    }
    cell.index = std::move(shared);
  }
  for (const Cell& cell : m.cells) m.count += cell.count();
  return m;
}

// Messages one after the other, each from a whole word on.
Index Messages::allot(std::vector<BlockMessage>& messages, std::size_t exchange, bool only_far) const {
  Index at = 0;
  for (BlockMessage& m : messages) {
    if (only_far && near(m.peer)) continue;
    m.at = (data(exchange) == Data::real_ ? 2 : 1) * at;
    at += words(m.count, data(exchange));
  }
  return at;
}

Bundle Messages::bundle(std::size_t exchange, Bundle b) const {
  const Share had = had_by(me_, exchange, b), wanted = wanted_by(me_, exchange, b);
  std::vector<int> receivers, senders;
  if (path_.stops[exchange + 1].cells) {
    receivers.resize(static_cast<std::size_t>(leaves(exchange).spread.ranks()));
    std::iota(receivers.begin(), receivers.end(), 0);
    senders = receivers;
  } else {
    receivers = path_.stops[exchange + 1].held.spread.owners(had.taken);
    senders = leaves(exchange).spread.owners(wanted.taken);
  }
  for (const int peer : receivers) {
    BlockMessage m = message(exchange, peer, had, wanted_by(peer, exchange, b), true, peer == me_);
    if (m.count == 0) continue;
    if (peer == me_)
      b.kept = std::move(m);
    else
      b.sent.push_back(std::move(m));
  }
  for (const int peer : senders)
    if (peer != me_)
      if (BlockMessage m = message(exchange, peer, had_by(peer, exchange, b), wanted, false, true); m.count > 0)
        b.received.push_back(std::move(m));
  const auto nearer = [&](const BlockMessage& x, const BlockMessage& y) { return distance(x.peer) < distance(y.peer); };
  std::stable_sort(b.sent.begin(), b.sent.end(), nearer);
  std::stable_sort(b.received.rbegin(), b.received.rend(), nearer);
  b.words_sent = allot(b.sent, exchange, false);
  b.words_landing = allot(b.received, exchange, true);
  if (b.kept && work_[exchange].front && !keeps_in_place(exchange)) b.words_kept = words(b.kept->count, data(exchange));
  return b;
}

}  // namespace kallima
