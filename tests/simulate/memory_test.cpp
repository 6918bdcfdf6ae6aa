// A machine with a memory rate: work takes as long as the longer of its arithmetic and its way through memory.

#include <gtest/gtest.h>

#include "kallima/plan.hpp"
#include "kallima/simulate.hpp"
#include "kallima/symmetry.hpp"

namespace kallima {
namespace {

Outline one_task(TaskKind kind, double flops, Index words) {
  Outline outline{.name = "one task", .ranks = 1};
  Script& script = outline.scripts.emplace_back();
  script.add({.kind = kind, .words = words, .flops = flops});
  script.close();
  return outline;
}

double completion(const Outline& outline, const Machine& machine) { return simulate(outline, machine).completion; }

TEST(MemoryRate, a_copy_takes_its_bytes_over_the_rate_on_every_model) {
  const Outline copy = one_task(TaskKind::copy, 0, 100);
  for (const std::string model : {"alphabeta", "logp", "loggp", "bsp"}) {
    EXPECT_EQ(completion(copy, machine_from_text(model + ":r=1")), 0) << model;
    EXPECT_EQ(completion(copy, machine_from_text(model + ":r=1,m=4")), 400) << model;  // words of 16 bytes
    EXPECT_EQ(completion(copy, machine_from_text(model + ":r=8,m=4")), 400) << model;
  }
}

TEST(MemoryRate, arithmetic_and_memory_go_on_at_once) {
  const Machine machine = machine_from_text("logp:r=2,m=4");
  EXPECT_EQ(completion(one_task(TaskKind::compute, 1000, 100), machine), 500);
  EXPECT_EQ(completion(one_task(TaskKind::compute, 600, 100), machine), 400);
}

TEST(MemoryRate, words_of_single_precision_are_half_as_long) {
  Outline copy = one_task(TaskKind::copy, 0, 100);
  copy.word_bytes = word_bytes(Precision::single_);
  EXPECT_EQ(completion(copy, machine_from_text("logp:r=1,m=4")), 200);
}

Schedule all_to_all(Alltoall how) {
  return plan({.shape = {4096}}, 8, {.route = "cyclic", .chunks = 1, .exchange = Exchange::messages, .alltoall = how})
      ->schedule(Direction::forward);
}

TEST(MemoryRate, relaying_through_others_costs_more_than_sending_straight) {
  const Machine free_memory = machine_from_text("loggp:r=1e9"), slow = machine_from_text("loggp:r=1e9,m=1e9");
  const Schedule direct = all_to_all(Alltoall::pairwise), relayed = all_to_all(Alltoall::bruck);
  EXPECT_NEAR(simulate(direct, free_memory).completion, simulate(relayed, free_memory).completion, 1e-9);
  EXPECT_GT(simulate(relayed, slow).completion, 1.1 * simulate(direct, slow).completion);
}

TEST(MemoryRate, a_task_knows_what_it_reads_and_writes) {
  const Schedule local = plan({.shape = {32}}, 1, {.route = "local"})->schedule(Direction::forward);
  Index moved = 0;
  for (const Task& task : local.ranks[0].tasks) moved += task.elements;
  EXPECT_EQ(moved, 64);
  const Outline all = outline(local);
  EXPECT_EQ(all.script(0)[0].words, local.ranks[0].tasks[0].elements);
}

TEST(MemoryRate, one_rank_stands_for_all_of_a_plan_in_its_own_precision) {
  const Problem problem{.shape = {4096}, .precision = Precision::single_};
  const auto it = plan(problem, 8, {.exchange = Exchange::messages});
  const auto shared = shared_outline(*it, Direction::forward);
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->word_bytes, 8);
}

}  // namespace
}  // namespace kallima
