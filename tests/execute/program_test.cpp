// Among many ranks a plan has very many messages, and stays small: passes that are alike share a kernel, copies at
// equal distances are one, and pieces that stand in a row are kept as one.

#include "execute/program.hpp"

#include <gtest/gtest.h>

#include "kallima/plan.hpp"
#include "schedule/piece_list.hpp"
#include "schedule/walk.hpp"

namespace kallima {
namespace {

// Compiles passes as the processor does, and counts them.
class CountingBackend final : public Backend {
 public:
  const Element& element() const override { return cpu_->element(); }
  std::unique_ptr<const Kernel> compile(const Pass& pass, std::size_t depth, Direction direction,
                                        Effort effort) const override {
    ++compiled;
    return cpu_->compile(pass, depth, direction, effort);
  }
  mutable int compiled = 0;

 private:
  std::shared_ptr<const Backend> cpu_ = cpu_backend(Precision::double_);
};

Problem blocks_of_a_line(Index length, int ranks) {
  return {.shape = {length}, .in = Layout::blocks({length}, {ranks}, ranks)};
}

TEST(Program, takes_few_bytes_a_message) {
  const Shape cube{1024, 1024, 1024}, half{1024, 1024, 513}, small{256, 256, 256};
  const std::pair<Problem, int> cases[] = {{{.shape = cube}, 1024},
                                           {{.shape = {1 << 24}}, 256},
                                           {blocks_of_a_line(1 << 20, 64), 64},
                                           {{.shape = small, .in = Layout::blocks(small, {4, 4, 4}, 64)}, 64},
                                           {{.shape = cube,
                                             .data = Data::real_,
                                             .in = Layout::blocks(cube, {32, 32, 1}, 1024),
                                             .out = Layout::blocks(half, {32, 32, 1}, 1024)},
                                            1024}};
  for (const auto& [problem, ranks] : cases) {
    const auto p = plan(problem, ranks, {.exchange = Exchange::messages});
    const ProgramSize size = program_size(p->rank_schedule(ranks / 2, Direction::forward));
    EXPECT_LE(static_cast<Index>(size.bytes), 200 * size.messages) << text(problem.shape) << " on " << ranks;
  }
}

TEST(Program, lists_waiting_tasks_at_equal_distances_as_runs) {
  const auto p = plan(blocks_of_a_line(1 << 20, 64), 64, {.exchange = Exchange::messages});
  const ProgramSize size = program_size(p->rank_schedule(32, Direction::forward));
  EXPECT_LE(static_cast<Index>(size.bytes), 146 * size.messages);  // one by one they would take it to 154 bytes
}

TEST(Program, passes_that_are_alike_share_a_kernel) {
  const auto p = plan(blocks_of_a_line(1 << 14, 16), 16, {.exchange = Exchange::messages});
  const RankSchedule schedule = p->rank_schedule(3, Direction::forward);
  int passes = 0;
  for (const Task& task : schedule.tasks) checks::visit_passes(task.steps, [&](const Pass&) { ++passes; });
  const auto backend = std::make_shared<CountingBackend>();
  const Program program(schedule, backend, Direction::forward, Effort::estimate);
  EXPECT_GT(passes, 100);
  EXPECT_LT(backend->compiled, passes / 5);
}

// What was a pass for each of eight parts is one pass for a block.
TEST(Program, copies_at_equal_distances_are_one) {
  const auto p = plan(blocks_of_a_line(1 << 20, 64), 64, {.exchange = Exchange::messages});
  for (const Task& task : p->rank_schedule(0, Direction::forward).tasks) {
    if (task.kind == TaskKind::copy) {
      EXPECT_EQ(task.steps.size(), 1U) << task.label << " of part " << task.chunk;
    }
  }
}

TEST(Program, pieces_come_out_of_a_list_as_they_went_in) {
  std::vector<Piece> pieces;
  for (const Index offset : {7, 9, 11, 13, 4, -3, -10, 100})
    pieces.push_back({.offset = offset, .first = 2 * offset + 20, .count = 2, .strides = {offset > 50 ? 8 : 5, 1}});
  pieces.push_back({.recv = 6, .strides = {5, 1}});
  pieces.push_back({.recv = 9, .strides = {5, 1}});
  const PieceList list(pieces);
  ASSERT_EQ(list.size(), pieces.size());
  std::size_t seen = 0;
  list.each([&](std::size_t i, const PieceList::ListedPiece& entry) {
    const Piece& piece = pieces[i];
    EXPECT_EQ(i, seen++);
    EXPECT_EQ(std::tuple(entry.buffer, entry.recv, entry.offset, entry.first, entry.count, entry.every, entry.stride),
              std::tuple(piece.buffer, piece.recv, piece.offset, piece.first, piece.count, piece.every, piece.stride));
    EXPECT_TRUE(std::ranges::equal(entry.strides, piece.strides));
  });
  EXPECT_EQ(seen, pieces.size());
}

}  // namespace
}  // namespace kallima
