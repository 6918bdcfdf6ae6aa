// From any layout to any other. What rank a has and rank b shall have is a box with steps, cut into parts so that the
// first arrive while the last are made: packed, sent, received and put into its place. Nothing is sent that stays.

#include <algorithm>

#include "base/check.hpp"
#include "plan/axes.hpp"
#include "plan/link.hpp"
#include "plan/tasks.hpp"

namespace kallima {
namespace {

using Block = std::vector<Progression>;

Index count_of(const Block& block) {
  Index count = 1;
  for (const Progression& p : block) count *= p.count;
  return count;
}

// Where the elements of a block stand: an offset, and a stride for each dimension.
struct Place {
  Index offset = 0;
  std::vector<Index> strides;
};

Shape shape_of(const Block& block) {
  Shape shape;
  for (const Progression& p : block) shape.push_back(p.count);
  return shape;
}

// In the array of all that a rank owns.
Place place_in(const Block& owned, const Storage& storage, const Block& block) {
  Place place{.strides = strides_of(storage, shape_of(owned))};
  for (std::size_t k = 0; k < block.size(); ++k) {
    place.offset += (block[k].first - owned[k].first) / owned[k].step * place.strides[k];
    place.strides[k] *= block[k].count > 1 ? block[k].step / owned[k].step : 1;
  }
  return place;
}

// By itself, from `offset` on.
Place packed(const Block& block, Index offset) { return {offset, row_major(shape_of(block))}; }

class Emitter {
 public:
  Emitter(const Holding& from, const Holding& to, const Parts& parts, bool messages, int rank);
  RankSchedule run();

 private:
  struct Message {
    int peer;
    Index part;
    Block block;
    Index words;
    Index at;  // where it stands among the words sent, or lands
    int start = -1;
  };

  void list(std::vector<Message>& messages, Index& words, bool outgoing) const;
  Block cut(Block block, Index part) const;
  Range range(Buffer buffer, const Message& m) const;
  Pass copy(const Block& block, const Place& from, const Place& to) const;
  void post_receives();
  void send_part(Index part);
  void keep_part(Index part);
  void receive_part(Index part);

  const Holding& from_;
  const Holding& to_;
  const Parts& parts_;
  const bool messages_;
  const bool real_;
  const int me_;
  const Block had_;
  const Block wanted_;
  std::vector<Message> sent_;  // by part, then by step
  std::vector<Message> received_;
  TaskList tasks_{0, {}};
};

Emitter::Emitter(const Holding& from, const Holding& to, const Parts& parts, bool messages, int rank)
    : from_(from),
      to_(to),
      parts_(parts),
      messages_(messages),
      real_(from.data == Data::real_),
      me_(rank),
      had_(from.layout.owned(rank)),
      wanted_(to.layout.owned(rank)) {
  Index out = 0, in = 0;
  list(sent_, out, true);
  list(received_, in, false);
  tasks_ = TaskList(rank, {stored_size(from.storage, shape_of(had_)), stored_size(to.storage, shape_of(wanted_)), out,
                           messages ? in : 0});
}

// To ranks i+1, i+2, ..., so that no two send to one at once; what comes is awaited in the same order.
void Emitter::list(std::vector<Message>& messages, Index& words, bool outgoing) const {
  const int ranks = to_.layout.ranks();
  for (Index part = 0; part < parts_.count; ++part)
    for (int step = 1; step < ranks; ++step) {
      const int peer = outgoing ? (me_ + step) % ranks : (me_ + ranks - step) % ranks;
      const auto shared = outgoing ? intersection(from_.layout, me_, to_.layout, peer)
                                   : intersection(from_.layout, peer, to_.layout, me_);
      if (!shared) continue;
      const Block block = cut(*shared, part);
      const Index count = count_of(block);
      if (count == 0) continue;
      messages.push_back({peer, part, block, kallima::words(count, from_.data), words});
      words += messages.back().words;
    }
}

Block Emitter::cut(Block block, Index part) const {
  Progression& p = block[parts_.dim];
  const Progression some = part_of(p.count, parts_, part);
  p.first += some.first * p.step;
  p.count = some.count;
  return block;
}

Range Emitter::range(Buffer buffer, const Message& m) const {
  const Index factor = real_ ? 2 : 1;
  return {.buffer = buffer, .offset = factor * m.at, .count = count_of(m.block), .real = real_};
}

Pass Emitter::copy(const Block& block, const Place& from, const Place& to) const {
  std::size_t line = block.size() - 1;
  while (line > 0 && block[line].count == 1) --line;
  Pass pass{.action = Action::move, .length = block[line].count, .scaled = true};
  pass.sources = {{.offset = from.offset, .count = block[line].count, .stride = from.strides[line], .real = real_}};
  pass.targets = {{.offset = to.offset, .count = block[line].count, .stride = to.strides[line], .real = real_}};
  for (std::size_t k = 0; k < block.size(); ++k) {
    if (k == line || block[k].count == 1) continue;
    pass.loops.push_back(block[k].count);
    pass.sources[0].strides.push_back(from.strides[k]);
    pass.targets[0].strides.push_back(to.strides[k]);
  }
  return pass;
}

void Emitter::post_receives() {
  for (Message& m : received_) {
    const Range landing = messages_ ? range(Buffer::inbox, m) : Range{.buffer = Buffer::inbox, .real = real_};
    m.start =
        tasks_.recv_start(m.peer, static_cast<int>(m.part), static_cast<int>(m.part), count_of(m.block), landing, {});
  }
}

void Emitter::send_part(Index part) {
  for (Message& m : sent_) {
    if (m.part != part) continue;
    Step step;
    step.pass = copy(m.block, place_in(had_, from_.storage, m.block), packed(m.block, (real_ ? 2 : 1) * m.at));
    step.pass.scaled = false;
    step.pass.targets[0].buffer = Buffer::work;
    const int chunk = static_cast<int>(part);
    const int made = tasks_.compute("pack", chunk, {step}, {});
    m.start = tasks_.send_start(m.peer, chunk, chunk, range(Buffer::work, m), {made});
  }
}

// What stays goes straight to its place.
void Emitter::keep_part(Index part) {
  const auto shared = intersection(from_.layout, me_, to_.layout, me_);
  if (!shared) return;
  const Block block = cut(*shared, part);
  if (count_of(block) == 0) return;
  Step step;
  step.pass = copy(block, place_in(had_, from_.storage, block), place_in(wanted_, to_.storage, block));
  step.pass.targets[0].buffer = Buffer::out;
  tasks_.compute("unpack", static_cast<int>(part), {step}, {});
}

void Emitter::receive_part(Index part) {
  for (const Message& m : received_) {
    if (m.part != part) continue;
    const int arrived = tasks_.finish(m.start);
    Step step;
    step.pass = copy(m.block, packed(m.block, 0), place_in(wanted_, to_.storage, m.block));
    step.pass.sources[0].recv = arrived;
    step.pass.targets[0].buffer = Buffer::out;
    tasks_.compute("unpack", static_cast<int>(part), {step}, {arrived});
  }
}

RankSchedule Emitter::run() {
  post_receives();
  for (Index part = 0; part < parts_.count; ++part) send_part(part);
  for (Index part = 0; part < parts_.count; ++part) {
    keep_part(part);
    receive_part(part);
  }
  for (const Message& m : sent_) tasks_.finish(m.start);
  RankSchedule schedule = tasks_.take();
  schedule.data_in = schedule.data_out = from_.data;
  schedule.padding_out = schedule.size(Buffer::out) - count_of(wanted_);
  return schedule;
}

class ExchangeLink : public Link {
 public:
  ExchangeLink(const Holding& in, const Holding& to, const Parts& parts, Exchange exchange)
      : Link(in, to, 1), parts_(parts), exchange_(exchange) {}

  RankSchedule rank_schedule(int rank, Direction direction) const override {
    const bool forward = direction == Direction::forward;
    return Emitter(forward ? in() : out(), forward ? out() : in(), parts_, exchange_ == Exchange::messages, rank).run();
  }

  std::string text() const override { return fmt::format("exchange to {}", out().layout.text()); }

 private:
  Parts parts_;
  Exchange exchange_;
};

}  // namespace

std::shared_ptr<const Link> exchange_link(const Holding& in, const Holding& to, const Parts& parts, Exchange exchange) {
  return std::make_shared<ExchangeLink>(in, to, parts, exchange);
}

}  // namespace kallima
