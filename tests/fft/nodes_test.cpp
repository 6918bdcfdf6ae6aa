// Ranks on several nodes: blocks of neighbours are read where they stand, and those from elsewhere land.

#include <gtest/gtest.h>

#include "chaos.hpp"
#include "fft_suite.hpp"

namespace kallima {
namespace {

Comm on_nodes_of(int ranks_of_node, const Comm& comm) {
  return Comm(std::make_unique<Chaos>(comm.transport().duplicate(), 11, ranks_of_node));
}

TEST(Nodes, give_the_transform) {
  const Case line({.shape = {720}}), cube({.shape = {12, 10, 14}});
  for (const int ranks : {3, 4, 6})
    for (const int ranks_of_node : {2, 3})
      for (const Case* c : {&line, &cube})
        for (const Placement placement : {Placement::out_of_place, Placement::in_place})
          run_threads(ranks, [&](Comm comm) {
            equals_definition<double>(on_nodes_of(ranks_of_node, comm), *c, {.plan = {.placement = placement}});
          });
}

TEST(Nodes, are_known_to_the_plan_and_only_what_comes_from_afar_lands) {
  constexpr int ranks_of_node = 2;
  run_threads(4, [&](Comm comm) {
    const Fft<double> fft({.shape = {64, 64}}, on_nodes_of(ranks_of_node, comm));
    const PlanOptions& options = fft.plan().options();
    ASSERT_EQ(options.nodes, (std::vector{0, 0, 2, 2}));
    ASSERT_EQ(options.exchange, Exchange::messages);
    const RankSchedule schedule = fft.plan().rank_schedule(comm.rank(), Direction::forward);
    int near = 0, far = 0;
    for (const Task& task : schedule.tasks) {
      if (task.kind != TaskKind::recv_start) continue;
      const bool is_near = task.peer / ranks_of_node == comm.rank() / ranks_of_node;
      EXPECT_EQ(task.range.count == 0, is_near) << "from rank " << task.peer << " to " << comm.rank();
      ++(is_near ? near : far);
    }
    EXPECT_GT(near, 0);
    EXPECT_GT(far, near);
  });
}

TEST(Nodes, must_be_given_for_every_rank) {
  EXPECT_THROW(plan({.shape = {64}}, 4, {.exchange = Exchange::messages, .nodes = {0, 1}}), Error);
}

}  // namespace
}  // namespace kallima
