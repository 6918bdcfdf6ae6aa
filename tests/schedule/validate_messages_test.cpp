// Schedules whose messages do not fit together, or whose tasks wait in a circle, are refused.

#include "examples.hpp"

namespace kallima {
namespace {

using namespace examples;

TEST(Validate, a_block_exchanged_between_two_ranks_is_valid) { expect_valid(exchange()); }

TEST(Validate, a_block_read_as_a_view_is_valid) { expect_valid(exchange(false)); }

TEST(Validate, finishes_may_leave_their_range_out) {
  expect_valid(changed([](RankSchedule& r) {
    r.tasks[3].range = {};
    r.tasks[5].range = {};
  }));
}

TEST(Validate, no_ranks_or_ranks_out_of_order_are_refused) {
  Schedule s = exchange();
  s.ranks[1].rank = 2;
  expect_refused(s, {"place 1 says it is rank 2"});
  s.ranks.clear();
  expect_refused(s, {"has no ranks"});
}

TEST(Validate, a_dependency_on_a_later_task_is_refused) {
  for (const int wrong : {2, 5, 17, -1})
    expect_refused(changed([wrong](RankSchedule& r) { r.tasks[2].after = {wrong}; }),
                   {"rank 0, task 2", "comes after task " + std::to_string(wrong)});
}

TEST(Validate, a_message_to_oneself_or_nobody_is_refused) {
  for (const int peer : {0, 2, -1})
    expect_refused(changed([peer](RankSchedule& r) { r.tasks[2].peer = peer; }),
                   {"rank 0, task 2", "peer " + std::to_string(peer)});
}

TEST(Validate, a_range_outside_its_buffer_is_refused) {
  const auto moved = [](Range range) { return changed([range](RankSchedule& r) { r.tasks[2].range = range; }); };
  expect_refused(moved({Buffer::work, 1, 4}), {"task 2", "4 elements from 1 of work", "has 4"});
  expect_refused(moved({Buffer::work, -1, 4}), {"task 2", "4 elements from -1"});
  expect_refused(moved({Buffer::work, Index{1} << 62, Index{1} << 62}), {"task 2", "of work"});
}

TEST(Validate, a_send_whose_range_is_not_its_size_is_refused) {
  expect_refused(changed([](RankSchedule& r) { r.tasks[2].range.count = 3; }), {"task 2", "4 elements", "holds 3"});
  expect_refused(changed([](RankSchedule& r) { r.tasks[2].range.count = 0; }), {"task 2", "4 elements", "holds 0"});
  expect_refused(changed([](RankSchedule& r) { r.tasks[0].range.count = 3; }), {"task 0", "4 elements", "holds 3"});
}

// What is read where it stands may have other elements between its own, which do not travel.
TEST(Validate, a_send_of_some_of_its_range_is_a_view) {
  const auto some = [](bool lands) {
    Schedule s = exchange(lands);
    for (RankSchedule& r : s.ranks) {
      for (const std::size_t t : {0, 2, 3, 5}) r.tasks[t].elements = 2;
      for (const std::size_t t : {0, 3}) r.tasks[t].range.count = lands ? 2 : 0;
    }
    return s;
  };
  expect_valid(some(false));
  expect_refused(some(true), {"sends 4 complex numbers", "room for 2"});
}

TEST(Validate, ends_of_different_size_are_refused) {
  expect_refused(changed([](RankSchedule& r) {
                   for (const std::size_t t : {2, 5}) r.tasks[t].range.count = r.tasks[t].elements = 3;
                 }),
                 {"rank 0, task 2", "sends 3 elements to rank 1, task 0", "expects 4"});
}

TEST(Validate, a_send_nobody_receives_and_a_receive_nobody_sends_are_refused) {
  const auto tagged = [](std::size_t start, std::size_t finish) {
    return changed([=](RankSchedule& r) { r.tasks[start].tag = r.tasks[finish].tag = 7; });
  };
  expect_refused(tagged(2, 5), {"waits for tag 0", "rank 0 never sends"});
  expect_refused(tagged(0, 3), {"tag 0", "rank 0 never receives"});
}

TEST(Validate, a_tag_used_twice_is_refused) {
  expect_refused(changed([](RankSchedule& r) {
                   r.tasks.push_back(message(TaskKind::send_start, 1, {Buffer::work, 0, 4}, {1}));
                   r.tasks.push_back(message(TaskKind::send_finish, 1, {Buffer::work, 0, 4}, {}, 6));
                 }),
                 {"rank 0, task 6", "tag 0 again", "task 2"});
}

TEST(Validate, starts_and_finishes_must_pair_up) {
  expect_refused(changed([](RankSchedule& r) { r.tasks.pop_back(); }), {"rank 0, task 2", "never finished"});
  expect_refused(changed([](RankSchedule& r) { r.tasks[5].start = 0; }), {"task 5", "no earlier send_start"});
  expect_refused(changed([](RankSchedule& r) { r.tasks[5].start = -1; }), {"task 5", "no earlier send_start"});
  expect_refused(changed([](RankSchedule& r) { r.tasks[5].tag = 9; }), {"task 5", "another message", "tag 9 and 0"});
  expect_refused(changed([](RankSchedule& r) { r.tasks[5].elements = 2; }), {"task 5", "elements 2 and 4"});
  expect_refused(changed([](RankSchedule& r) { r.tasks[5].range.count = 2; }), {"task 5", "another range"});
  expect_refused(changed([](RankSchedule& r) { r.tasks.push_back(r.tasks[5]); }), {"task 6", "already finished"});
}

TEST(Validate, a_message_with_steps_is_refused) {
  expect_refused(changed([](RankSchedule& r) { r.tasks[2].steps = r.tasks[1].steps; }), {"task 2", "has steps"});
}

TEST(Validate, sends_that_both_wait_for_the_other_are_refused) {
  Schedule s = exchange();
  for (RankSchedule& r : s.ranks) {
    std::swap(r.tasks[2], r.tasks[3]);  // now 2 is the recv_finish, 3 the send_start, which waits for it
    r.tasks[3].after = {1, 2};
    r.tasks[4].steps[0].pass.sources[1].recv = 2;
    r.tasks[4].after = {1, 2};
    r.tasks[5].start = 3;
  }
  expect_refused(s, {"can never run", "recv_finish", "waits for rank 1, task 3", "waits for the first"});
}

TEST(Validate, a_send_finish_before_the_other_side_can_read_the_block_is_refused) {
  Schedule s = exchange(false);
  for (RankSchedule& r : s.ranks) {
    std::swap(r.tasks[4], r.tasks[5]);  // the reader of the block now waits until our own send is finished
    r.tasks[5].after = {1, 3, 4};
  }
  expect_refused(s, {"can never run", "task 4", "send_finish"});
  s.ranks[0].tasks[5].after = {1, 3};
  expect_valid(s);
}

TEST(Validate, sends_that_both_finish_before_the_other_has_received_are_refused) {
  Schedule s = exchange();
  for (RankSchedule& r : s.ranks) {
    const std::vector<Task> old = r.tasks;
    r.tasks = {old[0], old[1], old[2], old[5], old[3], old[1]};
    r.tasks[4].after = {3};
    r.tasks[5].steps[0].pass.targets[0].buffer = Buffer::out;
  }
  expect_refused(s, {"can never run", "task 3 (send_finish", "task 4 (recv_finish"});
  s.ranks[0].tasks[4].after = {};
  expect_valid(s);
}

TEST(Validate, a_finish_comes_after_its_start_without_saying_so) {
  expect_valid(changed([](RankSchedule& r) {
    r.tasks.push_back(compute({pass(piece(Buffer::work, 0, 1), piece(Buffer::inbox, 0, 1))}, {4, 5}));
    r.tasks[4].after = {3};
    r.tasks[4].steps[0].pass.sources[0].buffer = Buffer::in;
  }));
}

}  // namespace
}  // namespace kallima
