// The exchange between a line, laid out as the caller likes, and whole columns of its matrix. The points that two ranks
// share are a few cells; those of one part of the columns make a message. Of real data the matrix of outputs has half
// of its columns, and what is not there is the conjugate of what is.

#include <array>

#include "base/check.hpp"
#include "plan/routes/line.hpp"
#include "plan/exchange/tasks.hpp"

namespace kallima {
namespace {

Progression within(const Progression& p, Index first, Index last) {
  return last < first ? Progression{} : intersection(p, {first, 1, last - first + 1});
}

// All that ranks have to know of both ends.
struct Fold {
  LineShape shape;
  End end;
  Layout line;
  Layout matrix;
  Index parts;
  Exchange exchange;

  bool real() const { return end == End::input && shape.data == Data::real_; }
  bool halved() const { return end == End::output && shape.data == Data::real_; }
  Index width() const { return end == End::input ? shape.Q : shape.R; }
  Progression points(int rank) const { return line.owned(rank)[shape.axis]; }
  Progression columns(int rank) const { return matrix.owned(rank)[1]; }
  std::vector<Cell> cells(int line_rank, int matrix_rank, Index part, bool to_matrix) const;
};

// To the line each output goes once; to the matrix some go twice, as there are columns that mirror themselves.
std::vector<Cell> Fold::cells(int line_rank, int matrix_rank, Index part, bool to_matrix) const {
  const Progression points = this->points(line_rank), columns = this->columns(matrix_rank);
  Progression some = part_of(columns.count, {.count = parts}, part);
  some = {columns.first + some.first * columns.step, columns.step, some.count};
  std::vector<Cell> all = shared_cells({points, points}, {columns, some}, width());
  if (!halved()) return all;
  const Index n = shape.n();
  const Progression mirrors = to_matrix ? within(points, 1, (n - 1) / 2) : points;
  if (!to_matrix) some = within(some, 1, (shape.R - 1) / 2);
  const std::vector<Cell> more = mirrored_cells({points, mirrors}, {columns, some}, width(), n);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// Where a cell stands in an array of several lines: an offset and the strides of outer, rows, columns and inner.
struct Stand {
  Index offset;
  std::array<Index, 4> strides;
};

class Emitter {
 public:
  Emitter(const Fold& fold, bool to_matrix, int rank);
  RankSchedule run();

 private:
  struct Message {
    int peer;
    Index part;
    std::vector<Cell> cells;
    Index count;
    Index at;  // in elements of the array, among those sent or landing
    int start = -1;
  };

  std::vector<Cell> cells(int from, int to, Index part) const;
  Index lines() const { return fold_.shape.outer * fold_.shape.inner; }
  Index line_size() const { return fold_.points(me_).count; }
  Index matrix_size() const;
  Index list(std::vector<Message>& messages, bool outgoing) const;
  Range range(Buffer buffer, const Message& m) const;
  Stand on_line(const Cell& cell) const;
  Stand on_matrix(const Cell& cell) const;
  Stand packed(const Cell& cell, Index offset) const;
  Step copy(const Cell& cell, const Stand& from, const Stand& to) const;
  void post_receives();
  void send_part(Index part);
  void keep_part(Index part);
  void receive_part(Index part);

  const Fold& fold_;
  const bool to_matrix_;
  const int me_;
  std::vector<Message> sent_;
  std::vector<Message> received_;
  TaskList tasks_{0, {}};
};

Emitter::Emitter(const Fold& fold, bool to_matrix, int rank) : fold_(fold), to_matrix_(to_matrix), me_(rank) {
  const Data data = fold.real() ? Data::real_ : Data::complex_;
  const Index line = lines() * line_size(), matrix = lines() * matrix_size();
  const Index out = words(list(sent_, true), data), in = words(list(received_, false), data);
  tasks_ = TaskList(
      rank, {to_matrix ? line : matrix, to_matrix ? matrix : line, out, fold.exchange == Exchange::messages ? in : 0});
}

Index Emitter::matrix_size() const {
  const Index rows = fold_.end == End::input ? fold_.shape.R : fold_.shape.Q;
  return rows * fold_.columns(me_).count;
}

std::vector<Cell> Emitter::cells(int from, int to, Index part) const {
  return to_matrix_ ? fold_.cells(from, to, part, true) : fold_.cells(to, from, part, false);
}

// To ranks i+1, i+2, ..., so that no two send to one at once. Messages of reals begin at whole words.
Index Emitter::list(std::vector<Message>& messages, bool outgoing) const {
  const int ranks = fold_.line.ranks();
  Index at = 0;
  for (Index part = 0; part < fold_.parts; ++part)
    for (int step = 1; step < ranks; ++step) {
      const int peer = outgoing ? (me_ + step) % ranks : (me_ + ranks - step) % ranks;
      Message m{.peer = peer, .part = part, .cells = {}, .count = 0, .at = at};
      m.cells = outgoing ? cells(me_, peer, part) : cells(peer, me_, part);
      for (const Cell& cell : m.cells) m.count += lines() * cell.count();
      if (m.count == 0) continue;
      at += fold_.real() ? m.count + m.count % 2 : m.count;
      messages.push_back(std::move(m));
    }
  return at;
}

Range Emitter::range(Buffer buffer, const Message& m) const {
  return {.buffer = buffer, .offset = m.at, .count = m.count, .real = fold_.real()};
}

Stand Emitter::on_line(const Cell& cell) const {
  const Index inner = fold_.shape.inner;
  return {cell.line.offset * inner, {line_size() * inner, cell.line.row * inner, cell.line.column * inner, 1}};
}

Stand Emitter::on_matrix(const Cell& cell) const {
  const Index inner = fold_.shape.inner;
  return {cell.matrix.offset * inner, {matrix_size() * inner, cell.matrix.row * inner, cell.matrix.column * inner, 1}};
}

Stand Emitter::packed(const Cell& cell, Index offset) const {
  const Index inner = fold_.shape.inner;
  return {offset, {cell.count() * inner, cell.columns * inner, inner, 1}};
}

Step Emitter::copy(const Cell& cell, const Stand& from, const Stand& to) const {
  const std::array<Index, 4> extents{fold_.shape.outer, cell.rows, cell.columns, fold_.shape.inner};
  std::size_t line = 3;
  while (line > 0 && extents[line] == 1) --line;
  Step step;
  Pass& pass = step.pass;
  pass.action = Action::move;
  pass.length = extents[line];
  pass.scaled = true;
  const auto piece = [&](const Stand& stand) {
    return Piece{.offset = stand.offset, .count = extents[line], .stride = stand.strides[line], .real = fold_.real()};
  };
  pass.sources = {piece(from)};
  pass.targets = {piece(to)};
  for (std::size_t k = 0; k < line; ++k) {
    if (extents[k] == 1) continue;
    pass.loops.push_back(extents[k]);
    pass.sources[0].strides.push_back(from.strides[k]);
    pass.targets[0].strides.push_back(to.strides[k]);
  }
  return step;
}

void Emitter::post_receives() {
  for (Message& m : received_) {
    const bool lands = fold_.exchange == Exchange::messages;
    const Range landing = lands ? range(Buffer::inbox, m) : Range{.buffer = Buffer::inbox, .real = fold_.real()};
    m.start = tasks_.recv_start(m.peer, static_cast<int>(m.part), static_cast<int>(m.part), m.count, landing, {});
  }
}

void Emitter::send_part(Index part) {
  for (Message& m : sent_) {
    if (m.part != part) continue;
    std::vector<Step> steps;
    Index at = m.at;
    for (const Cell& cell : m.cells) {
      Step& step = steps.emplace_back(copy(cell, to_matrix_ ? on_line(cell) : on_matrix(cell), packed(cell, at)));
      step.pass.scaled = false;
      step.pass.targets[0].buffer = Buffer::work;
      at += lines() * cell.count();
    }
    const int chunk = static_cast<int>(part);
    const int made = tasks_.compute("pack", chunk, std::move(steps), {});
    m.start = tasks_.send_start(m.peer, chunk, chunk, range(Buffer::work, m), {made});
  }
}

// What stays goes straight to its place; what is a mirror image is conjugated as it arrives there.
void Emitter::keep_part(Index part) {
  std::vector<Step> steps;
  for (const Cell& cell : cells(me_, me_, part)) {
    const Stand line = on_line(cell), matrix = on_matrix(cell);
    Step& step = steps.emplace_back(copy(cell, to_matrix_ ? line : matrix, to_matrix_ ? matrix : line));
    step.pass.conjugated = cell.conjugated;
    step.pass.targets[0].buffer = Buffer::out;
  }
  if (!steps.empty()) tasks_.compute("unpack", static_cast<int>(part), std::move(steps), {});
}

void Emitter::receive_part(Index part) {
  for (const Message& m : received_) {
    if (m.part != part) continue;
    const int arrived = tasks_.finish(m.start);
    std::vector<Step> steps;
    Index at = 0;
    for (const Cell& cell : m.cells) {
      Step& step = steps.emplace_back(copy(cell, packed(cell, at), to_matrix_ ? on_matrix(cell) : on_line(cell)));
      step.pass.conjugated = cell.conjugated;
      step.pass.sources[0].recv = arrived;
      step.pass.targets[0].buffer = Buffer::out;
      at += lines() * cell.count();
    }
    tasks_.compute("unpack", static_cast<int>(part), std::move(steps), {arrived});
  }
}

RankSchedule Emitter::run() {
  post_receives();
  for (Index part = 0; part < fold_.parts; ++part) send_part(part);
  for (Index part = 0; part < fold_.parts; ++part) {
    keep_part(part);
    receive_part(part);
  }
  for (const Message& m : sent_) tasks_.finish(m.start);
  RankSchedule schedule = tasks_.take();
  schedule.data_in = schedule.data_out = fold_.real() ? Data::real_ : Data::complex_;
  return schedule;
}

// Whether anything goes from one rank to another: two ranks have all mirror images of a cyclic line themselves.
bool moves(const Fold& fold) {
  const auto used = [](const Layout& layout) { return layout.is_grid() ? layout.active_ranks() : layout.ranks(); };
  for (int a = 0; a < used(fold.line); ++a)
    for (int b = 0; b < used(fold.matrix); ++b)
      for (Index part = 0; a != b && part < fold.parts; ++part)
        if (!fold.cells(a, b, part, true).empty()) return true;
  return false;
}

class FoldLink : public Link {
 public:
  FoldLink(const Fold& fold, Holding in, Holding out)
      : Link(std::move(in), std::move(out), moves(fold) ? 1 : 0), fold_(fold) {}

  RankSchedule rank_schedule(int rank, Direction direction) const override {
    const bool to_matrix = (fold_.end == End::input) == (direction == Direction::forward);
    return Emitter(fold_, to_matrix, rank).run();
  }

  std::string text() const override {
    const char* verb = exchanges() > 0 ? "exchange" : "copy";
    if (fold_.end == End::input) return fmt::format("{} to columns of {}x{}", verb, fold_.shape.R, fold_.shape.Q);
    return fmt::format("{} to {}", verb, fold_.line.text());
  }

 private:
  Fold fold_;
};

}  // namespace

std::shared_ptr<const Link> fold_link(const LineShape& shape, End end, const Layout& line, const Layout& matrix,
                                      Index parts, Exchange exchange) {
  const Holding points{line, end == End::input ? shape.data : Data::complex_};
  const Holding columns{matrix, points.data};
  const Fold fold{shape, end, line, matrix, parts, exchange};
  const bool first = end == End::input;
  return std::make_shared<FoldLink>(fold, first ? points : columns, first ? columns : points);
}

}  // namespace kallima
