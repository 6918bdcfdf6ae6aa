// The two transforms of a line and the exchange between them. The first transform runs along the columns that a rank
// holds of one matrix and writes each of its outputs, multiplied by its twiddle factor, into the block of the rank that
// holds that column of the other; the second reads its lines from the blocks as they came. Columns are cut into parts,
// so that the first blocks travel while the last are made. Backward is the same from the other end.

#include "base/check.hpp"
#include "plan/routes/line.hpp"
#include "plan/exchange/tasks.hpp"

namespace kallima {
namespace {

// One direction: columns of `length` points are read in the first matrix, `made` outputs of each are sent.
struct Phase {
  Kind kind = Kind::fourier;
  Index length = 1;
  Index read = 1;
  Index made = 1;
  const Layout* columns = nullptr;
  Progression owned(int rank) const { return columns->owned(rank)[1]; }
};

class Emitter {
 public:
  Emitter(const LineShape& shape, const Turn& turn, Direction direction, int rank);
  RankSchedule run();

 private:
  struct Block {
    int from;
    int to;
    Index part;
    Index rows;     // columns of the second matrix,
    Index columns;  // and of the first
    Index at;       // in the work buffer, or where it lands
    int task = -1;  // who made it, or received it
    int start = -1;
    Index count(const LineShape& s) const { return s.outer * rows * columns * s.inner; }
  };

  int ranks() const { return turn_.columns_in.ranks(); }
  Progression part(int rank, Index number) const;
  Index list(std::vector<Block>& blocks, bool outgoing) const;
  void add(std::vector<Block>& blocks, Index& at, int from, int to, Index part) const;
  Pass pass(const Phase& phase, Index columns) const;
  Piece on_matrix(Buffer buffer, Index column, Index all, Index rows, bool real) const;
  void loop_strides(Piece& piece, Index outer, Index column) const;
  void post_receives();
  void first_part(Index number);
  void second_part(Index number);

  const LineShape& shape_;
  const Turn& turn_;
  Phase first_;
  Phase second_;
  const int me_;
  std::vector<Block> made_;      // by part; what stays is among them
  std::vector<Block> received_;  // by part
  TaskList tasks_{0, {}};
};

Emitter::Emitter(const LineShape& shape, const Turn& turn, Direction direction, int rank)
    : shape_(shape), turn_(turn), me_(rank) {
  const bool real = shape.data == Data::real_;
  const Index half = shape.kept();
  if (direction == Direction::forward) {
    first_ = {real ? Kind::real_to_half : Kind::fourier, shape.R, shape.R, half, &turn.columns_in};
    second_ = {Kind::fourier, shape.Q, shape.Q, shape.Q, &turn.columns_out};
  } else {
    first_ = {Kind::fourier, shape.Q, shape.Q, shape.Q, &turn.columns_out};
    second_ = {real ? Kind::half_to_real : Kind::fourier, shape.R, half, shape.R, &turn.columns_in};
  }
  const Index work = list(made_, true), inbox = list(received_, false), lines = shape.outer * shape.inner;
  tasks_ =
      TaskList(rank, {lines * first_.read * first_.owned(rank).count, lines * second_.made * second_.owned(rank).count,
                      work, turn.exchange == Exchange::messages ? inbox : 0});
}

// Some of the columns that a rank holds of the first matrix, by their global numbers.
Progression Emitter::part(int rank, Index number) const {
  const Progression owned = first_.owned(rank);
  const Progression some = part_of(owned.count, {.count = turn_.parts}, number);
  return {owned.first + some.first * owned.step, owned.step, some.count};
}

void Emitter::add(std::vector<Block>& blocks, Index& at, int from, int to, Index number) const {
  const Block block{from, to, number, second_.owned(to).count, part(from, number).count, at};
  if (block.count(shape_) == 0) return;
  blocks.push_back(block);
  at += block.count(shape_);
}

Index Emitter::list(std::vector<Block>& blocks, bool outgoing) const {
  Index at = 0;
  for (Index number = 0; number < turn_.parts; ++number)
    for (int step = 1; step <= ranks(); ++step) {
      const int peer = (outgoing ? me_ + step : me_ + ranks() - step) % ranks();
      if (outgoing) add(blocks, at, me_, peer, number);
      if (!outgoing && peer != me_) add(blocks, at, peer, me_, number);
    }
  return at;
}

Pass Emitter::pass(const Phase& phase, Index columns) const {
  Pass pass{.kind = phase.kind, .length = phase.length};
  if (shape_.outer > 1) pass.loops.push_back(shape_.outer);
  pass.loops.push_back(columns);
  if (shape_.inner > 1) pass.loops.push_back(shape_.inner);
  return pass;
}

void Emitter::loop_strides(Piece& piece, Index outer, Index column) const {
  if (shape_.outer > 1) piece.strides.push_back(outer);
  piece.strides.push_back(column);
  if (shape_.inner > 1) piece.strides.push_back(1);
}

// Columns from number `column` on of a matrix of `rows` rows and `all` columns in one of the caller's buffers.
Piece Emitter::on_matrix(Buffer buffer, Index column, Index all, Index rows, bool real) const {
  const Index inner = shape_.inner;
  Piece piece{.buffer = buffer, .offset = column * inner, .count = rows, .stride = all * inner, .real = real};
  loop_strides(piece, rows * all * inner, inner);
  return piece;
}

void Emitter::post_receives() {
  for (Block& b : received_) {
    Range landing{.buffer = Buffer::inbox};
    if (turn_.exchange == Exchange::messages) landing = {Buffer::inbox, b.at, b.count(shape_)};
    const int chunk = static_cast<int>(b.part);
    b.start = tasks_.recv_start(b.from, chunk, chunk, b.count(shape_), landing, {});
  }
}

void Emitter::first_part(Index number) {
  const Progression owned = first_.owned(me_), columns = part(me_, number);
  if (columns.count == 0) return;
  Step step;
  step.pass = pass(first_, columns.count);
  const Index begin = (columns.first - owned.first) / owned.step;
  step.pass.sources = {on_matrix(Buffer::in, begin, owned.count, first_.read, first_.kind == Kind::real_to_half)};
  step.pass.twiddle = {shape_.n(), columns.first, columns.step, shape_.outer > 1 ? 1 : 0};
  for (const Block& b : made_) {
    if (b.part != number) continue;
    const Progression theirs = second_.owned(b.to);
    Piece& piece = step.pass.targets.emplace_back(Piece{.buffer = Buffer::work, .offset = b.at, .first = theirs.first});
    piece.count = theirs.count;
    piece.every = theirs.step;
    piece.stride = b.columns * shape_.inner;
    loop_strides(piece, b.rows * piece.stride, shape_.inner);
  }
  const int chunk = static_cast<int>(number);
  const int task = tasks_.compute("phase I", chunk, {step}, {});
  for (Block& b : made_) {
    if (b.part != number) continue;
    b.task = task;
    const Range range{.buffer = Buffer::work, .offset = b.at, .count = b.count(shape_)};
    if (b.to != me_) b.start = tasks_.send_start(b.to, chunk, chunk, range, {task});
  }
}

void Emitter::second_part(Index number) {
  const Progression owned = second_.owned(me_);
  const Progression some = part_of(owned.count, {.count = turn_.parts}, number);
  if (some.count == 0) return;
  Step step;
  step.pass = pass(second_, some.count);
  step.pass.scaled = true;
  step.pass.targets = {
      on_matrix(Buffer::out, some.first, owned.count, second_.made, second_.kind == Kind::half_to_real)};
  std::vector<int> after;
  const auto read = [&](const Block& b, Piece piece) {
    const Progression theirs = part(b.from, b.part);
    const Index row = b.columns * shape_.inner;
    piece.offset += some.first * row;
    piece.first = theirs.first;
    piece.count = theirs.count;
    piece.every = theirs.step;
    piece.stride = shape_.inner;
    loop_strides(piece, b.rows * row, row);
    step.pass.sources.push_back(piece);
    after.push_back(b.task);
  };
  for (const Block& b : received_) read(b, {.recv = b.task});
  for (const Block& b : made_)
    if (b.to == me_) read(b, {.buffer = Buffer::work, .offset = b.at});
  tasks_.compute("phase II", static_cast<int>(number), {step}, std::move(after));
}

RankSchedule Emitter::run() {
  post_receives();
  for (Index number = 0; number < turn_.parts; ++number) first_part(number);
  for (Block& b : received_) b.task = tasks_.finish(b.start);
  for (Index number = 0; number < turn_.parts; ++number) second_part(number);
  for (const Block& b : made_)
    if (b.to != me_) tasks_.finish(b.start);
  RankSchedule schedule = tasks_.take();
  schedule.data_in = first_.kind == Kind::real_to_half ? Data::real_ : Data::complex_;
  schedule.data_out = second_.kind == Kind::half_to_real ? Data::real_ : Data::complex_;
  return schedule;
}

class TurnLink : public Link {
 public:
  TurnLink(const LineShape& shape, Turn turn, Layout in, Layout out)
      : Link({std::move(in), shape.data}, {std::move(out)}, turn.columns_in.ranks() > 1 ? 1 : 0),
        shape_(shape),
        turn_(std::move(turn)) {}

  RankSchedule rank_schedule(int rank, Direction direction) const override {
    return Emitter(shape_, turn_, direction, rank).run();
  }
  std::string text() const override {
    return fmt::format("transform columns of {}, exchange, rows of {}", shape_.R, shape_.Q);
  }

 private:
  LineShape shape_;
  Turn turn_;
};

}  // namespace

std::shared_ptr<const Link> turn_link(const LineShape& shape, const Turn& turn, Layout in, Layout out) {
  return std::make_shared<TurnLink>(shape, turn, std::move(in), std::move(out));
}

}  // namespace kallima
