// Where blocks stand, and how they are packed, sent, received and unpacked.

#include <algorithm>

#include "plan/exchange/axes.hpp"
#include "plan/exchange/rank_writer.hpp"

namespace kallima {
namespace {

constexpr Index chunks_in_flight = 3;  // that have memory of their own to land in, besides the early slices
constexpr Index most_places = 16;      // in which the messages of an exchange stand, or one for each of its parts

}  // namespace

void RankWriter::allocate(std::size_t exchange, Bundle& b) {
  if (messages_.stands(exchange)) return;
  const auto near = [&](const BlockMessage& m) { return messages_.near(exchange, m.peer); };
  const bool seen = std::any_of(b.sent.begin(), b.sent.end(), near);
  std::vector<BlockMessage*> sent, landing;
  for (BlockMessage& m : b.sent) sent.push_back(&m);
  for (BlockMessage& m : b.received)
    if (!near(m)) landing.push_back(&m);
  if (is_tree(exchange))
    for (BlockMessage* m : sent) m->memory = tree_memory_;
  else
    allocate(exchange, sent, b.words_sent, seen ? Assembler::Use::seen : Assembler::Use::own);
  allocate(exchange, landing, b.words_landing, Assembler::Use::own);
  if (!b.kept) return;
  b.kept->memory =
      is_tree(exchange) ? tree_memory_ : assembler_.allocate(b.words_kept, Data::complex_, Assembler::Use::own);
}

// Messages stand one after the other; where memory is scarce, in several places, each of which may be in `out`.
void RankWriter::allocate(std::size_t exchange, const std::vector<BlockMessage*>& all, Index words,
                          Assembler::Use use) {
  const Data data = messages_.data(exchange);
  const Index size = (data == Data::real_ ? 2 : 1) * words;
  const Index places = path_.thrift > most_thrift_of_early ? most_places / std::ssize(exchanges_[exchange]) : 1;
  const Index most = size / std::max<Index>(1, places);
  for (std::size_t first = 0, last = 0; first < all.size(); first = last) {
    const Index begin = all[first]->at;
    const auto end = [&](std::size_t i) { return i + 1 < all.size() ? all[i + 1]->at : size; };
    for (last = first + 1; last < all.size() && end(last) - begin <= most;) ++last;
    const Buffer memory = assembler_.allocate(end(last - 1) - begin, data, use);
    for (std::size_t i = first; i < last; ++i) all[i]->memory = memory, all[i]->at -= begin;
  }
}

// What there is room for is posted before anything else, the others when it is their turn: they land where earlier
// ones did, or in blocks that have been sent.
void RankWriter::post_receives(std::size_t exchange) {
  std::vector<Bundle>& bundles = exchanges_[exchange];
  Index sent = 0, landed = 0;
  for (const Bundle& b : bundles) sent += b.words_sent + b.words_kept;
  const auto part_of_stop = [&](std::size_t i) { return words_of(work_[i].held, me_) / path_.stops[i].cut.count; };
  if (messages_.by_part(exchange + 1)) sent += 2 * part_of_stop(exchange + 1);  // and a part of what is made of it
  if (exchange == 0 && messages_.by_part(0) && options_.placement == Placement::in_place) sent += part_of_stop(0);
  // Where the next stop streams, what is made there is in memory as well, but not in `out`.
  const bool streams = path_.stops[exchange + 1].streams;
  Index spare = assembler_.spare(streams ? assembler_.words() : sent);
  if (path_.stops[exchange].streams) spare -= in_flight_;
  const bool chain = exchange + 2 < path_.stops.size();
  const Index in_flight = chunks_in_flight - (chain ? 1 : 0) - std::max(0, path_.thrift - 2);
  const auto most = static_cast<std::size_t>(path_.stops[exchange].early + std::max<Index>(1, in_flight));
  in_flight_ = 0;
  for (std::size_t i = 0; i < bundles.size(); ++i) {
    landed += bundles[i].words_landing;
    if (bundles[i].words_landing > 0 && (landed > spare || i >= most) && !messages_.goes_at_once(exchange)) continue;
    in_flight_ += bundles[i].words_landing;
    receive(exchange, bundles[i]);
    if (messages_.goes_at_once(exchange)) keep(bundles[i]);  // or all would wait for each other
  }
}

void RankWriter::post_late_receives(std::size_t exchange, Index chunk) {
  for (Bundle& b : exchanges_[exchange]) {
    if (b.first_chunk != chunk || b.posted) continue;
    for (const BlockMessage& m : b.received)
      if (!messages_.near(exchange, m.peer)) assembler_.prefer_used(m.memory);
    receive(exchange, b);
  }
}

void RankWriter::receive(std::size_t exchange, Bundle& b) {
  const bool real = messages_.data(exchange) == Data::real_;
  stage(exchange, receiving);
  b.posted = true;
  for (BlockMessage& m : b.received) {
    Range landing{.buffer = Buffer::inbox, .real = real};
    if (!messages_.near(exchange, m.peer)) landing = {m.memory, m.at, m.count, real};
    m.start = assembler_.receive(m.peer, b.tag, b.tag, m.count, landing);
  }
}

void RankWriter::arrive(Bundle& b) {
  for (BlockMessage& m : b.received)
    if (m.finish < 0) m.finish = assembler_.arrive(m.start);
}

// What stands between the first and the last element of a block, where nothing is packed.
Range RankWriter::standing(std::size_t i, const BlockMessage& m) {
  const Area& all = arrays_.ready(i, 0);
  const Strided place = arrays_.place(all, m.index);
  Range range{all.buffer, place.offset, 1, messages_.data(i) == Data::real_};
  for (std::size_t k = 0; k < m.index.size(); ++k) range.count += (m.index[k].count - 1) * place.strides[k];
  expect(place.strides == messages_.standing(i, me_, m.index).strides);
  return range;
}

void RankWriter::send(std::size_t i, Bundle& b, BlockMessage& m) {
  if (messages_.stands(i)) {
    const Range range = standing(i, m);
    m.memory = range.buffer;
    stage(i, sending);
    assembler_.send(m.peer, b.tag, b.tag, range, m.count);
    return;
  }
  if (!work_[i].front && !messages_.packs_parts(i) && !packs_before(i)) pack(i, b, m);
  stage(i, sending);
  assembler_.send(m.peer, b.tag, b.tag, {m.memory, m.at, m.count, messages_.data(i) == Data::real_}, m.count);
}

void RankWriter::pack(std::size_t i, const Bundle& b, const BlockMessage& m) {
  stage(i, packing);
  std::vector<Step> steps;
  add_packed(steps, i, m, everything);
  assembler_.compute("pack", b.tag, std::move(steps));
}

void RankWriter::add_packed(std::vector<Step>& steps, std::size_t i, const BlockMessage& m, Index only) {
  const bool real = messages_.data(i) == Data::real_;
  Index at = m.at;
  for (const Cell& cell : m.cells) {
    copy_cell(steps, cell, {m.memory, -1, real, {}, {at, row_major(cell.extents)}}, i, Side::leaving, only);
    at += cell.count();
  }
}

// Bundles that the parts up to this one complete, chunk by chunk or destination by destination.
void RankWriter::send_completed(std::size_t i, Index number) {
  std::vector<std::pair<Bundle*, BlockMessage*>> all;
  const Index parts = path_.stops[i].cut.count;
  for (Bundle& b : exchanges_[i]) {
    if (number + 1 != (path_.stops[i].left ? parts : b.last_slice)) continue;
    for (BlockMessage& m : b.sent) all.emplace_back(&b, &m);
    if (!work_[i].front && b.words_kept > 0 && !messages_.packs_parts(i)) pack(i, b, *b.kept);
  }
  if (options_.order == Order::destination_first)
    std::stable_sort(all.begin(), all.end(), [&](const auto& x, const auto& y) {
      return messages_.distance(x.second->peer) < messages_.distance(y.second->peer);
    });
  for (const auto& [b, m] : all) send(i, *b, *m);
}

// Between a block and the array of a stop, which may stand part by part: all of them, or one.
void RankWriter::copy_cell(std::vector<Step>& steps, const Cell& cell, const Stretch& block, std::size_t i, Side side,
                           Index only) {
  const bool leaves = side == Side::leaving;
  const bool scaled = !leaves && ends_with_parts(i);
  const auto area = [&](Index number) -> const Area& {
    return leaves ? arrays_.ready(i, number) : arrays_.arrival(i, number);
  };
  const Index of_cell = leaves ? cell.from_part : cell.to_part;
  const bool by_part = messages_.by_part(i);
  if (!by_part || cell.index.empty()) {
    if (only == everything || only == of_cell) steps.push_back(copied(cell, block, area(of_cell), leaves, scaled));
    return;
  }
  for (Index number = 0; number < path_.stops[i].cut.count; ++number) {
    if (only != everything && only != number) continue;
    const Area& there = area(number);
    const Block shared = common(cell.index, *there.part);
    if (count_of(shared) == 0) continue;
    Stretch some = block;
    some.place = place_in(cell.index, block.place.strides, shared, block.place.offset);
    const Strided at = arrays_.place(there, shared);
    steps.push_back(copied({.extents = shape_of(shared), .from = at, .to = at}, some, there, leaves, scaled));
  }
}

void RankWriter::unpack(std::size_t i, Index chunk) {
  const bool by_part = messages_.by_part(i);
  for (Bundle& b : exchanges_[i - 1])
    if (by_part ? chunk >= b.first_chunk && chunk < b.last_chunk : chunk == b.first_chunk)
      unpack(i, b, by_part ? chunk : everything);
}

void RankWriter::unpack(std::size_t i, Bundle& b, Index only) {
  const bool real = messages_.data(i - 1) == Data::real_;
  const bool stands = messages_.stands(i - 1);
  const auto copy = [&](const BlockMessage& m, Buffer buffer, bool packed) {
    std::vector<Step> steps;
    Index at = m.at;
    if (m.finish >= 0) at = 0;
    for (const Cell& cell : m.cells) {
      const Strided place = packed ? Strided{at, row_major(cell.extents)} : cell.from;
      at += cell.count();
      copy_cell(steps, cell, {buffer, m.finish, real, {}, place}, i, Side::coming, only);
    }
    if (!steps.empty()) assembler_.compute("unpack", b.tag, std::move(steps));
  };
  stage(i, unpacking);
  if (b.kept) {
    const bool packed = b.words_kept > 0;
    copy(*b.kept, packed ? b.kept->memory : arrays_.ready(i - 1, 0).buffer, packed);
  }
  for (BlockMessage& m : b.received) {
    if (m.finish < 0) m.finish = assembler_.arrive(m.start);
    copy(m, Buffer::in, !stands);
  }
}

// Others read this rank's blocks, or have memory for them, when they come to the same part. After that part the
// memory may be used again, not before, or ranks would wait for each other in a circle.
void RankWriter::keep_sent(std::size_t exchange, Index chunk) {
  for (const Bundle& b : exchanges_[exchange])
    if (b.last_chunk == chunk + 1 && !messages_.goes_at_once(exchange)) keep(b);
}

void RankWriter::keep(const Bundle& b) {
  for (const BlockMessage& m : b.sent) assembler_.keep(m.memory);
}

}  // namespace kallima
