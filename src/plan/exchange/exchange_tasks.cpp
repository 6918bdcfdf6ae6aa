// The tasks of one rank in an exchange. What rank a has and rank b shall have is a box with steps, cut into parts so
// that the first arrive while the last are made: packed, sent, received and put into its place, with or without a
// transform on either side. Nothing is sent that stays.

#include <algorithm>

#include "plan/exchange/block.hpp"
#include "plan/exchange/exchange.hpp"
#include "plan/exchange/tasks.hpp"

namespace kallima {
namespace {

class Emitter {
 public:
  Emitter(const Crossing& crossing, int rank);
  RankSchedule run();

 private:
  struct Message {
    int peer;
    Index part;
    Block block;
    Index at;  // where it stands in the work buffer or the inbox, in words
    int start = -1;
  };

  void list(std::vector<Message>& messages, Index& room, bool outgoing) const;
  Block cut(Block block, Index part) const;
  Range range(Buffer buffer, const Message& m) const;
  Index offset(const Message& m) const { return (real_ ? 2 : 1) * m.at; }
  void post_receives();
  void send(Message& m, int made);
  void pack(Index part);
  void transform_and_pack(Index first_part, Index last_part);
  void keep(Index part);
  void unpack(Index part);
  void unpack_and_transform(Index part);

  const Crossing& c_;
  const bool real_;
  const int me_;
  const Block had_;
  const Block wanted_;
  std::vector<Message> sent_;      // by part, then by distance; with `front`, also what the rank sends itself
  std::vector<Message> received_;  // the same
  std::vector<int> made_;          // by part: what makes the rank's own block
  TaskList tasks_{0, {}};
};

Emitter::Emitter(const Crossing& crossing, int rank)
    : c_(crossing),
      real_(crossing.from.data == Data::real_),
      me_(rank),
      had_(crossing.from.layout.owned(rank)),
      wanted_(crossing.to.layout.owned(rank)),
      made_(static_cast<std::size_t>(crossing.parts.count), -1) {
  Index work = 0, inbox = 0;
  list(sent_, work, true);
  list(received_, inbox, false);
  tasks_ = TaskList(rank, {stored_size(c_.before.storage, c_.before.layout.local_shape(rank)),
                           stored_size(c_.after.storage, c_.after.layout.local_shape(rank)), work,
                           c_.exchange == Exchange::messages ? inbox : 0});
}

// To ranks i+1, i+2, ..., so that no two send to one at once, and last to itself; what comes is awaited in that order.
void Emitter::list(std::vector<Message>& messages, Index& room, bool outgoing) const {
  const int ranks = c_.to.layout.ranks();
  for (Index part = 0; part < c_.parts.count; ++part)
    for (int step = 1; step <= ranks; ++step) {
      if (step == ranks && !(outgoing && c_.front)) continue;
      const int peer = outgoing ? (me_ + step) % ranks : (me_ + ranks - step) % ranks;
      const auto shared = intersection(c_.from.layout, outgoing ? me_ : peer, c_.to.layout, outgoing ? peer : me_);
      if (!shared) continue;
      const Block block = cut(*shared, part);
      if (count_of(block) == 0) continue;
      messages.push_back({peer, part, block, room});
      room += words(count_of(block), c_.from.data);
    }
}

Block Emitter::cut(Block block, Index part) const {
  Progression& p = block[c_.parts.dim];
  const Progression some = part_of(p.count, c_.parts, part);
  p.first += some.first * p.step;
  p.count = some.count;
  return block;
}

Range Emitter::range(Buffer buffer, const Message& m) const {
  return {.buffer = buffer, .offset = offset(m), .count = count_of(m.block), .real = real_};
}

void Emitter::post_receives() {
  for (Message& m : received_) {
    const bool lands = c_.exchange == Exchange::messages;
    const Range landing = lands ? range(Buffer::inbox, m) : Range{.buffer = Buffer::inbox, .real = real_};
    const int part = static_cast<int>(m.part);
    m.start = tasks_.recv_start(m.peer, part, part, count_of(m.block), landing, {});
  }
}

void Emitter::send(Message& m, int made) {
  if (m.peer == me_)
    made_[static_cast<std::size_t>(m.part)] = made;
  else
    m.start =
        tasks_.send_start(m.peer, static_cast<int>(m.part), static_cast<int>(m.part), range(Buffer::work, m), {made});
}

void Emitter::pack(Index part) {
  for (Message& m : sent_) {
    if (m.part != part) continue;
    Step step;
    step.pass = move_block(m.block, place_in(had_, c_.from.storage, m.block), packed(m.block, offset(m)), real_);
    step.pass.targets[0].buffer = Buffer::work;
    send(m, tasks_.compute("pack", static_cast<int>(part), {step}, {}));
  }
}

// Lines of an axis that the rank holds whole, dealt out to all blocks of these parts.
void Emitter::transform_and_pack(Index first_part, Index last_part) {
  const std::size_t line = c_.front->axis;
  const Block owned = c_.before.layout.owned(me_);
  const Block mine = c_.parts.dim == line ? owned : cut(owned, first_part);
  if (count_of(mine) == 0) return;
  Step step;
  Pass& pass = step.pass;
  pass.kind = c_.front->kind;
  pass.length = std::max(c_.before.layout.shape()[line], c_.from.layout.shape()[line]);
  pass.sources = {
      lines_of(Buffer::in, place_in(owned, c_.before.storage, mine), mine, line, c_.before.data == Data::real_)};
  pass.loops = loops_of(mine, line);
  const auto here = [&](const Message& m) { return m.part >= first_part && m.part <= last_part; };
  for (const Message& m : sent_) {
    if (!here(m)) continue;
    Piece& target = pass.targets.emplace_back(lines_of(Buffer::work, packed(m.block, offset(m)), m.block, line, real_));
    target.first = m.block[line].first;
    target.every = m.block[line].step;
  }
  const int made = tasks_.compute("transform and pack", static_cast<int>(first_part), {step}, {});
  for (Message& m : sent_)
    if (here(m)) send(m, made);
}

// What stays goes straight to its place, unless it is among what was packed.
void Emitter::keep(Index part) {
  const auto shared = intersection(c_.from.layout, me_, c_.to.layout, me_);
  if (!shared) return;
  const Block block = cut(*shared, part);
  if (count_of(block) == 0) return;
  Step step;
  std::vector<int> after;
  if (c_.front) {
    const auto own =
        std::find_if(sent_.begin(), sent_.end(), [&](const Message& m) { return m.peer == me_ && m.part == part; });
    step.pass = move_block(block, packed(block, offset(*own)), place_in(wanted_, c_.to.storage, block), real_);
    step.pass.sources[0].buffer = Buffer::work;
    after = {made_[static_cast<std::size_t>(part)]};
  } else {
    step.pass =
        move_block(block, place_in(had_, c_.from.storage, block), place_in(wanted_, c_.to.storage, block), real_);
  }
  step.pass.scaled = true;
  tasks_.compute("unpack", static_cast<int>(part), {step}, std::move(after));
}

void Emitter::unpack(Index part) {
  for (const Message& m : received_) {
    if (m.part != part) continue;
    const int arrived = tasks_.finish(m.start);
    Step step;
    step.pass = move_block(m.block, packed(m.block, 0), place_in(wanted_, c_.to.storage, m.block), real_);
    step.pass.sources[0].recv = arrived;
    step.pass.scaled = true;
    tasks_.compute("unpack", static_cast<int>(part), {step}, {arrived});
  }
}

// Lines of an axis that now is whole, put together from all blocks of a part.
void Emitter::unpack_and_transform(Index part) {
  const std::size_t line = c_.back->axis;
  const Block owned = c_.after.layout.owned(me_);
  const Block mine = cut(owned, part);
  if (count_of(mine) == 0) return;
  Step step;
  Pass& pass = step.pass;
  std::vector<int> after;
  const auto add = [&](const Block& block, Piece source) {
    source.first = block[line].first;
    source.every = block[line].step;
    pass.sources.push_back(std::move(source));
  };
  for (const Message& m : received_) {
    if (m.part != part) continue;
    after.push_back(tasks_.finish(m.start));
    Piece source = lines_of(Buffer::in, packed(m.block, 0), m.block, line, real_);
    source.recv = after.back();
    add(m.block, source);
  }
  for (const Message& m : sent_)
    if (m.peer == me_ && m.part == part) {
      add(m.block, lines_of(Buffer::work, packed(m.block, offset(m)), m.block, line, real_));
      after.push_back(made_[static_cast<std::size_t>(part)]);
    }
  const auto kept = intersection(c_.from.layout, me_, c_.to.layout, me_);
  if (kept && !c_.front && count_of(cut(*kept, part)) > 0) {
    const Block block = cut(*kept, part);
    add(block, lines_of(Buffer::in, place_in(had_, c_.from.storage, block), block, line, real_));
  }
  pass.kind = c_.back->kind;
  pass.length = std::max(c_.after.layout.shape()[line], c_.to.layout.shape()[line]);
  pass.targets = {
      lines_of(Buffer::out, place_in(owned, c_.after.storage, mine), mine, line, c_.after.data == Data::real_)};
  pass.loops = loops_of(mine, line);
  pass.scaled = true;
  tasks_.compute("unpack and transform", static_cast<int>(part), {step}, std::move(after));
}

RankSchedule Emitter::run() {
  post_receives();
  const bool at_once = c_.front && c_.front->axis == c_.parts.dim;  // lines are not cut before they are transformed
  if (at_once) transform_and_pack(0, c_.parts.count - 1);
  for (Index part = 0; part < c_.parts.count && !at_once; ++part) {
    if (c_.front)
      transform_and_pack(part, part);
    else
      pack(part);
  }
  for (Index part = 0; part < c_.parts.count; ++part) {
    if (c_.back) {
      unpack_and_transform(part);
      continue;
    }
    keep(part);
    unpack(part);
  }
  for (const Message& m : sent_)
    if (m.start >= 0) tasks_.finish(m.start);
  RankSchedule schedule = tasks_.take();
  schedule.data_in = c_.before.data;
  schedule.data_out = c_.after.data;
  schedule.padding_out = schedule.size(Buffer::out) - element_count(c_.after.layout.local_shape(me_));
  return schedule;
}

}  // namespace

RankSchedule exchange_tasks(const Crossing& crossing, int rank) { return Emitter(crossing, rank).run(); }

}  // namespace kallima
