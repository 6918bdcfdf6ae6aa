// Reals travel as messages and as views, from and to places in the middle of a complex number.

#include <gtest/gtest.h>

#include "kallima/execute.hpp"
#include "kallima/plan.hpp"
#include "plan/exchange/tasks.hpp"

namespace kallima {
namespace {

Piece reals(Buffer buffer, Index offset, Index count) {
  return {.buffer = buffer, .offset = offset, .count = count, .real = true};
}

Step move(Index length, std::vector<Piece> from, std::vector<Piece> to) {
  Pass pass{.action = Action::move, .length = length, .sources = std::move(from), .targets = std::move(to)};
  return {.pass = std::move(pass)};
}

// Each rank copies its seven reals, sends the last three of them, and puts them behind its first four.
RankSchedule swap_tails(int rank, Exchange exchange) {
  TaskList tasks(rank, {7, 7, 4, 2});
  const Range landing{Buffer::inbox, 1, exchange == Exchange::messages ? 3 : 0, true};
  const int recv = tasks.add(receive_task(1 - rank, 0, 0, 3, landing));
  const int copied =
      tasks.add(compute_task("copy", 0, {move(7, {reals(Buffer::in, 0, 7)}, {reals(Buffer::work, 1, 7)})}));
  const int sent = tasks.add(send_task(1 - rank, 0, 0, {Buffer::work, 5, 3, true}), {copied});
  const int received = tasks.finish(recv);
  Piece theirs = reals(Buffer::in, 0, 3);
  theirs.recv = received;
  theirs.first = 4;
  tasks.add(compute_task("join", 0, {move(7, {reals(Buffer::work, 1, 4), theirs}, {reals(Buffer::out, 0, 7)})}),
            {copied, received});
  tasks.finish(sent);
  RankSchedule schedule = tasks.take();
  schedule.data_in = schedule.data_out = Data::real_;
  return schedule;
}

TEST(RealMessages, arrive_as_they_were_sent) {
  for (const Exchange exchange : {Exchange::messages, Exchange::views}) {
    validate({.name = "tails", .ranks = {swap_tails(0, exchange), swap_tails(1, exchange)}});
    run_threads(2, [&](Comm comm) {
      std::vector<double> in(7), out(7);
      for (int i = 0; i < 7; ++i) in[static_cast<std::size_t>(i)] = 10 * comm.rank() + i;
      execute(swap_tails(comm.rank(), exchange), Direction::forward, comm, std::as_bytes(std::span(in)),
              std::as_writable_bytes(std::span(out)));
      for (int i = 0; i < 7; ++i)
        EXPECT_EQ(out[static_cast<std::size_t>(i)], 10 * (i < 4 ? comm.rank() : 1 - comm.rank()) + i) << i;
    });
  }
}

TEST(RealMessages, count_two_reals_as_one_element) {
  const RankSchedule schedule = swap_tails(0, Exchange::messages);
  EXPECT_EQ(schedule.words_sent(), 2);
  EXPECT_EQ(schedule.tasks[1].elements, 7);
  EXPECT_EQ(schedule.tasks[3].elements, 2);
}

TEST(TaskList, counts_a_transform_of_reals_as_half_a_complex_one) {
  Pass half{.kind = Kind::real_to_half, .length = 8, .loops = {3}};
  half.sources = {{.count = 8, .strides = {8}, .real = true}};
  half.targets = {{.buffer = Buffer::out, .count = 5, .strides = {5}}};
  Pass whole = half;
  whole.kind = Kind::fourier;
  TaskList tasks(0, {});
  tasks.add(compute_task("half", 0, {{.pass = half}}));
  whole.sources[0].real = false;
  whole.targets[0].count = 8;
  tasks.add(compute_task("whole", 0, {{.pass = whole}}));
  const RankSchedule schedule = tasks.take();
  EXPECT_EQ(schedule.tasks[0].flops, 3 * 2.5 * 8 * 3);
  EXPECT_EQ(schedule.tasks[0].elements, 3 * (4 + 5));
  EXPECT_EQ(schedule.tasks[1].flops, 2 * schedule.tasks[0].flops);
  EXPECT_EQ(schedule.tasks[1].elements, 3 * 16);
}

}  // namespace
}  // namespace kallima
