// The tasks of one rank of a slab plan. A block is a box in row-major order: the sender's part of the axis cut at
// first, a chunk of the receiver's part of the other, and all of the rest. Parts may be uneven or empty; an empty
// block is not sent.

#include <algorithm>

#include "plan/exchange/axes.hpp"
#include "plan/routes/slab.hpp"
#include "plan/exchange/tasks.hpp"

namespace kallima {
namespace {

struct Span {
  Index begin;
  Index count;
};

class Emitter {
 public:
  Emitter(const SlabParameters& parameters, const PlanOptions& options, int rank);
  RankSchedule run();

 private:
  enum class Leg { there, back };
  struct Message {
    Index elements = 0;
    Index slot = 0;  // of the sender's block in the work buffer
    Index landing = 0;
    int send_start = -1;
    int recv_start = -1;
    int recv_finish = -1;
  };
  using Messages = std::vector<std::vector<Message>>;  // [chunk][rank]

  static std::size_t index(Index i) { return static_cast<std::size_t>(i); }
  Span from_part(Index rank) const;
  Span to_part(Index rank) const;
  Span to_chunk(Index rank, Index chunk) const;
  Shape box(Index from_extent, Index to_extent) const;
  int destination(int step) const { return (me_ + 1 + step) % static_cast<int>(p_.ranks); }

  void allot();
  void post_receives(Leg leg);
  void pack();
  void make_blocks();
  void transform_chunk(Index chunk);
  void unpack(Index chunk);
  Pass pass_along(std::size_t axis) const;
  Piece piece(Buffer buffer, Index offset, const Shape& shape, std::size_t axis, Index count) const;
  void send(Leg leg, int destination, Index chunk, int after);

  const SlabParameters& p_;
  const int me_;
  const bool messages_;
  const Buffer data_;
  Messages sent_[2];
  Messages received_[2];
  Index work_ = 0;
  Index inbox_ = 0;
  int packed_ = -1;
  std::vector<int> own_ready_;  // [chunk]: tasks after which our own block may be read
  TaskList tasks_{0, {}};
};

Emitter::Emitter(const SlabParameters& parameters, const PlanOptions& options, int rank)
    : p_(parameters),
      me_(rank),
      messages_(options.exchange == Exchange::messages),
      data_(options.placement == Placement::in_place ? Buffer::out : Buffer::in),
      own_ready_(index(parameters.chunks), -1) {
  allot();
  const Index in = element_count(box(from_part(me_).count, p_.problem.shape[p_.to]));
  const Index out = p_.there_and_back ? in : element_count(box(p_.problem.shape[p_.from], to_part(me_).count));
  tasks_ = TaskList(rank, {in, out, work_, inbox_});
}

Span part_of(Index n, Index parts, Index part) {
  const Distribution d = Distribution::block(n, parts);
  return {d.local_extent(part) > 0 ? d.global_index(part, 0) : 0, d.local_extent(part)};
}

Span Emitter::from_part(Index rank) const { return part_of(p_.problem.shape[p_.from], p_.ranks, rank); }

Span Emitter::to_part(Index rank) const { return part_of(p_.problem.shape[p_.to], p_.ranks, rank); }

Span Emitter::to_chunk(Index rank, Index chunk) const {
  const Span part = to_part(rank);
  if (part.count == 0) return {part.begin, 0};
  const Span sub = part_of(part.count, p_.chunks, chunk);
  return {part.begin + sub.begin, sub.count};
}

Shape Emitter::box(Index from_extent, Index to_extent) const {
  Shape shape = p_.problem.shape;
  shape[p_.from] = from_extent;
  shape[p_.to] = to_extent;
  return shape;
}

// Sizes and places of all blocks. On the way there the own block stands in the work buffer too; on the way back it is
// put into its place among the outputs at once.
void Emitter::allot() {
  for (const Leg leg : {Leg::there, Leg::back}) {
    if (leg == Leg::back && !p_.there_and_back) break;
    Messages& sent = sent_[static_cast<int>(leg)];
    Messages& received = received_[static_cast<int>(leg)];
    sent.assign(index(p_.chunks), std::vector<Message>(index(p_.ranks)));
    received = sent;
    for (Index c = 0; c < p_.chunks; ++c)
      for (Index r = 0; r < p_.ranks; ++r) {
        const bool there = leg == Leg::there;
        Message& out = sent[index(c)][index(r)];
        Message& in = received[index(c)][index(r)];
        out.elements = element_count(there ? box(from_part(me_).count, to_chunk(r, c).count)
                                           : box(from_part(r).count, to_chunk(me_, c).count));
        in.elements = element_count(there ? box(from_part(r).count, to_chunk(me_, c).count)
                                          : box(from_part(me_).count, to_chunk(r, c).count));
        out.slot = work_;
        if (there || r != me_) work_ += out.elements;
        in.landing = inbox_;
        if (messages_ && r != me_) inbox_ += in.elements;
      }
  }
}

RankSchedule Emitter::run() {
  post_receives(Leg::there);
  if (p_.there_and_back) post_receives(Leg::back);
  pack();
  make_blocks();
  for (Index chunk = 0; chunk < p_.chunks; ++chunk) transform_chunk(chunk);
  if (p_.there_and_back)
    for (Index chunk = 0; chunk < p_.chunks; ++chunk) unpack(chunk);
  for (const Messages& leg : sent_)
    for (const std::vector<Message>& chunk : leg)
      for (const Message& message : chunk)
        if (message.send_start >= 0) tasks_.finish(message.send_start);
  return tasks_.take();
}

void Emitter::post_receives(Leg leg) {
  const int first_tag = leg == Leg::there ? 0 : static_cast<int>(p_.chunks);
  for (Index c = 0; c < p_.chunks; ++c)
    for (int step = static_cast<int>(p_.ranks) - 2; step >= 0; --step) {
      const int from = destination(step);
      Message& m = received_[static_cast<int>(leg)][index(c)][index(from)];
      if (m.elements == 0) continue;
      const Range landing{Buffer::inbox, m.landing, messages_ ? m.elements : 0};
      m.recv_start =
          tasks_.recv_start(from, first_tag + static_cast<int>(c), static_cast<int>(c), m.elements, landing, {});
    }
}

void Emitter::send(Leg leg, int to, Index chunk, int after) {
  Message& m = sent_[static_cast<int>(leg)][index(chunk)][index(to)];
  if (m.elements == 0) return;
  const int tag = static_cast<int>(chunk) + (leg == Leg::there ? 0 : static_cast<int>(p_.chunks));
  m.send_start = tasks_.send_start(to, tag, static_cast<int>(chunk), {Buffer::work, m.slot, m.elements}, {after});
}

// A line along `axis` in a row-major box, with strides for loops over all other axes in their order.
Piece Emitter::piece(Buffer buffer, Index offset, const Shape& shape, std::size_t axis, Index count) const {
  const std::vector<Index> strides = row_major(shape);
  Piece piece{.buffer = buffer, .offset = offset, .count = count, .stride = strides[axis]};
  for (std::size_t k = 0; k < shape.size(); ++k)
    if (k != axis) piece.strides.push_back(strides[k]);
  return piece;
}

Pass Emitter::pass_along(std::size_t axis) const {
  Pass pass;
  pass.action = transforms(p_.problem, axis) ? Action::transform : Action::move;
  pass.length = p_.problem.shape[axis];
  return pass;
}

Shape without(const Shape& shape, std::size_t axis) {
  Shape rest = shape;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(axis));
  return rest;
}

// The axis that will be cut is transformed and dealt out to all blocks.
void Emitter::pack() {
  const Shape mine = box(from_part(me_).count, p_.problem.shape[p_.to]);
  if (element_count(mine) == 0) return;
  Step step;
  step.pass = pass_along(p_.to);
  step.pass.sources = {piece(data_, 0, mine, p_.to, mine[p_.to])};
  step.pass.loops = without(mine, p_.to);
  for (Index c = 0; c < p_.chunks; ++c)
    for (Index r = 0; r < p_.ranks; ++r) {
      const Span span = to_chunk(r, c);
      if (span.count == 0) continue;
      Piece target =
          piece(Buffer::work, sent_[0][index(c)][index(r)].slot, box(mine[p_.from], span.count), p_.to, span.count);
      target.first = span.begin;
      step.pass.targets.push_back(target);
    }
  packed_ = tasks_.compute("phase I", 0, {step}, {});
}

void Emitter::make_blocks() {
  if (packed_ < 0) return;
  for (Index c = 0; c < p_.chunks; ++c)
    for (int s = 0; s < static_cast<int>(p_.ranks); ++s) {
      const int to = destination(s);
      const Shape block = box(from_part(me_).count, to_chunk(to, c).count);
      if (element_count(block) == 0) continue;
      const std::vector<Index> strides = row_major(block);
      std::vector<Axis> axes;
      for (std::size_t k = 0; k < block.size(); ++k)
        axes.push_back({block[k], strides[k], strides[k], k != p_.from && k != p_.to && transforms(p_.problem, k)});
      std::vector<Step> steps;
      const Corner corner{.buffer = Buffer::work, .offset = sent_[0][index(c)][index(to)].slot};
      transform_axes(steps, corner, corner, axes, Scaling::none);
      const int ready =
          steps.empty() ? packed_ : tasks_.compute("phase I", static_cast<int>(c), std::move(steps), {packed_});
      if (to == me_)
        own_ready_[index(c)] = ready;
      else
        send(Leg::there, to, c, ready);
    }
}

// A chunk has arrived from everywhere: transform the axis that was cut at first, and put the result into its place or
// deal it out for the way back.
void Emitter::transform_chunk(Index chunk) {
  const Span mine = to_chunk(me_, chunk);
  if (mine.count == 0) return;
  const Shape whole = box(p_.problem.shape[p_.from], mine.count);
  Step step;
  step.pass = pass_along(p_.from);
  step.pass.loops = without(whole, p_.from);
  step.pass.scaled = true;
  std::vector<int> after;
  if (packed_ >= 0) after.push_back(packed_);
  for (Index r = 0; r < p_.ranks; ++r) {
    const Span rows = from_part(r);
    if (rows.count == 0) continue;
    Message& m = received_[0][index(chunk)][index(r)];
    Piece source = piece(Buffer::work, 0, box(rows.count, mine.count), p_.from, rows.count);
    source.first = rows.begin;
    if (r == me_) {
      source.offset = sent_[0][index(chunk)][index(r)].slot;
      after.push_back(own_ready_[index(chunk)]);
    } else {
      after.push_back(source.recv = m.recv_finish = tasks_.finish(m.recv_start));
    }
    step.pass.sources.push_back(source);
    if (!p_.there_and_back) continue;
    const Shape home = box(from_part(me_).count, p_.problem.shape[p_.to]);
    Piece target = r == me_ ? piece(Buffer::out, mine.begin * row_major(home)[p_.to], home, p_.from, rows.count)
                            : piece(Buffer::work, sent_[1][index(chunk)][index(r)].slot, box(rows.count, mine.count),
                                    p_.from, rows.count);
    target.first = rows.begin;
    step.pass.targets.push_back(target);
  }
  if (!p_.there_and_back) {
    const Shape home = box(p_.problem.shape[p_.from], to_part(me_).count);
    const Index offset = (mine.begin - to_part(me_).begin) * row_major(home)[p_.to];
    step.pass.targets = {piece(Buffer::out, offset, home, p_.from, home[p_.from])};
  }
  const int done = tasks_.compute("phase II", static_cast<int>(chunk), {step}, std::move(after));
  if (!p_.there_and_back) return;
  for (int s = 0; s < static_cast<int>(p_.ranks) - 1; ++s) send(Leg::back, destination(s), chunk, done);
}

void Emitter::unpack(Index chunk) {
  const Shape home = box(from_part(me_).count, p_.problem.shape[p_.to]);
  for (int s = static_cast<int>(p_.ranks) - 2; s >= 0; --s) {
    const int from = destination(s);
    Message& m = received_[1][index(chunk)][index(from)];
    if (m.elements == 0) continue;
    m.recv_finish = tasks_.finish(m.recv_start);
    const Span span = to_chunk(from, chunk);
    const std::size_t last = home.size() - 1;
    const Shape block = box(home[p_.from], span.count);
    Step step;
    step.pass.action = Action::move;
    step.pass.length = block[last];
    step.pass.loops = without(block, last);
    step.pass.sources = {piece(Buffer::work, 0, block, last, block[last])};
    step.pass.sources[0].recv = m.recv_finish;
    step.pass.targets = {piece(Buffer::out, span.begin * row_major(home)[p_.to], home, last, block[last])};
    std::vector<int> after{m.recv_finish};
    if (packed_ >= 0) after.push_back(packed_);
    tasks_.compute("unpack", static_cast<int>(chunk), {step}, std::move(after));
  }
}

}  // namespace

RankSchedule slab_tasks(const SlabParameters& parameters, const PlanOptions& options, int rank) {
  return Emitter(parameters, options, rank).run();
}

}  // namespace kallima
