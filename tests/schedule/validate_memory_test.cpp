// Tasks that touch the same elements without an order, read what nobody wrote, or leave out unfinished are refused.

#include <chrono>

#include "examples.hpp"

namespace kallima {
namespace {

using namespace examples;

Task move(Buffer from, Buffer to, std::vector<int> after = {}, Index offset = 0, Index count = 8) {
  return compute({pass(piece(from, offset, count), piece(to, offset, count))}, std::move(after));
}

TEST(Validate, reading_what_nobody_wrote_is_refused) {
  expect_refused(single({move(Buffer::work, Buffer::out)}), {"rank 0, task 0", "reads work[0]", "nothing has written"});
  expect_refused(single({move(Buffer::in, Buffer::work, {}, 0, 4), move(Buffer::work, Buffer::out, {0})}),
                 {"task 1", "reads work[4]", "nothing has written"});
}

TEST(Validate, a_task_may_read_what_its_own_earlier_pass_wrote) {
  const Pass first = pass(piece(Buffer::in, 0, 8), piece(Buffer::work, 0, 8));
  const Pass second = pass(piece(Buffer::work, 0, 8), piece(Buffer::out, 0, 8));
  expect_valid(single({compute({first, second})}));
  expect_refused(single({compute({second, first})}), {"task 0", "reads work[0]", "nothing has written"});
}

TEST(Validate, an_unordered_read_of_what_another_task_writes_is_refused) {
  expect_valid(single({move(Buffer::in, Buffer::work), move(Buffer::work, Buffer::out, {0})}));
  expect_refused(single({move(Buffer::in, Buffer::work), move(Buffer::work, Buffer::out)}),
                 {"task 1", "reads work[0]", "task 0 writes", "nothing orders"});
}

TEST(Validate, an_unordered_write_of_what_another_task_reads_is_refused) {
  const auto tasks = [](std::vector<int> after) {
    return single({move(Buffer::in, Buffer::work), move(Buffer::work, Buffer::out, {0}),
                   move(Buffer::in, Buffer::work, std::move(after))});
  };
  expect_valid(tasks({1}));
  expect_refused(tasks({0}), {"task 2", "writes work[0]", "task 1", "may still read"});
}

TEST(Validate, unordered_writes_to_one_element_are_refused) {
  expect_refused(single({move(Buffer::in, Buffer::out), move(Buffer::in, Buffer::out, {}, 7, 1)}),
                 {"task 1", "writes out[7]", "task 0 also writes"});
}

TEST(Validate, order_through_other_tasks_counts) {
  expect_valid(single(
      {move(Buffer::in, Buffer::work), compute({}, {0}), compute({}, {1}), move(Buffer::work, Buffer::out, {2})}));
}

TEST(Validate, all_of_several_readers_must_be_done_before_a_write) {
  for (int missing = 1; missing <= 3; ++missing) {
    std::vector<Task> tasks{move(Buffer::in, Buffer::work)};
    std::vector<int> after;
    for (int reader = 1; reader <= 3; ++reader) {
      tasks.push_back(compute({pass(piece(Buffer::work, 0, 2), piece(Buffer::inbox, 2 * reader, 2))}, {0}));
      if (reader != missing) after.push_back(reader);
    }
    tasks.push_back(move(Buffer::in, Buffer::work, after));
    tasks.push_back(move(Buffer::in, Buffer::out));
    expect_refused(single(tasks), {"task 4", "rank 0, task " + std::to_string(missing), "may still read"});
    tasks[4].after.push_back(missing);
    expect_valid(single(tasks));
  }
}

TEST(Validate, tasks_that_touch_interleaved_elements_need_no_order) {
  const auto every_other = [](Index offset) {
    return compute({pass(piece(Buffer::in, offset, 4, 2), piece(Buffer::out, offset, 4, 2))});
  };
  expect_valid(single({every_other(0), every_other(1)}));
  expect_refused(single({every_other(0), every_other(0)}), {"task 1", "writes out[0]"});
}

TEST(Validate, a_send_before_its_block_is_made_is_refused) {
  expect_refused(changed([](RankSchedule& r) { r.tasks[2].after = {}; }), {"task 2", "reads work[0]", "task 1 writes"});
}

TEST(Validate, writing_to_a_block_under_way_is_refused) {
  const auto with_writer = [](std::vector<int> after) {
    return changed([&](RankSchedule& r) {
      r.tasks.push_back(compute({pass(piece(Buffer::in, 0, 1), piece(Buffer::work, 3, 1))}, after));
    });
  };
  expect_refused(with_writer({2, 4}), {"task 6", "writes work[3]", "task 5 (send_finish"});
  expect_valid(with_writer({4, 5}));
}

TEST(Validate, writing_where_a_message_lands_is_refused_until_it_has_been_read) {
  const auto with_writer = [](std::vector<int> after) {
    return changed([&](RankSchedule& r) {
      r.tasks.push_back(compute({pass(piece(Buffer::in, 0, 1), piece(Buffer::inbox, 1, 1))}, after));
    });
  };
  expect_refused(with_writer({0}), {"task 6", "writes inbox[1]", "also writes"});
  expect_refused(with_writer({3}), {"task 6", "writes inbox[1]", "task 4", "may still read"});
  expect_valid(with_writer({4}));
}

TEST(Validate, a_received_block_must_be_waited_for) {
  expect_refused(changed([](RankSchedule& r) { r.tasks[4].after = {0, 1}; }), {"task 4", "block of task 3"});
}

TEST(Validate, the_landing_area_is_read_through_its_message_only) {
  expect_refused(changed([](RankSchedule& r) {
                   Piece& p = r.tasks[4].steps[0].pass.sources[1];
                   p.recv = -1;
                   p.buffer = Buffer::inbox;
                 }),
                 {"task 4", "reads inbox[0]", "task 3 leaves a message", "by recv"});
}

TEST(Validate, a_landing_area_overwritten_before_it_is_read_is_refused) {
  expect_refused(changed([](RankSchedule& r) {
                   const Pass overwrite = pass(piece(Buffer::in, 0, 1), piece(Buffer::inbox, 1, 1));
                   r.tasks[4].steps.insert(r.tasks[4].steps.begin(), Step{.pass = overwrite});
                 }),
                 {"task 4", "reads inbox[1]", "overwritten"});
}

TEST(Validate, out_must_be_written_entirely_and_not_by_landing) {
  expect_refused(single({move(Buffer::in, Buffer::out, {}, 0, 7)}), {"rank 0", "never writes out[7]"});
  expect_refused(changed([](RankSchedule& r) {
                   for (const std::size_t t : {0, 3}) r.tasks[t].range.buffer = Buffer::out;
                   r.tasks[4].steps[0].pass.targets[0].buffer = Buffer::inbox;
                 }),
                 {"rank 0", "out[0]", "task 3", "not land"});
}

TEST(Validate, the_input_is_left_alone_unless_it_is_the_output) {
  const Schedule s = single({compute({pass(piece(Buffer::in, 0, 8), piece(Buffer::in, 0, 8)),
                                      pass(piece(Buffer::in, 0, 8), piece(Buffer::out, 0, 8))})});
  expect_refused(s, {"task 0", "writes in[0]"});
  expect_valid(s, Aliasing::in_is_out);
}

TEST(Validate, reading_in_after_out_was_written_is_a_race_in_place_only) {
  const Schedule s = single({move(Buffer::in, Buffer::out, {}, 0, 4), move(Buffer::in, Buffer::work, {}, 0, 4),
                             move(Buffer::in, Buffer::out, {1}, 4, 4)});
  expect_valid(s);
  expect_refused(s, {"task 1", "reads in[0]", "task 0 writes"}, Aliasing::in_is_out);
}

TEST(Validate, in_place_in_and_out_are_as_long_as_the_longer) {
  Schedule s = single({move(Buffer::in, Buffer::out), move(Buffer::out, Buffer::work, {0})});
  s.ranks[0].sizes = {8, 4, 8, 0};
  expect_refused(s, {"task 0", "target 0", "elements 0 to 7 of out", "has 4"});
  expect_valid(s, Aliasing::in_is_out);
}

TEST(Validate, a_pass_in_place_whose_lines_cross_is_refused) {
  const Pass transpose{.length = 2,
                       .sources = {piece(Buffer::in, 0, 2, 1, {2})},
                       .targets = {piece(Buffer::out, 0, 2, 2, {1})},
                       .loops = {2}};
  expect_valid(single({compute({transpose})}, 4));
  expect_refused(single({compute({transpose})}, 4), {"task 0", "reads in[1] in line 0", "line 1"}, Aliasing::in_is_out);
}

TEST(Validate, a_pass_in_place_may_permute_inside_its_lines) {
  const Pass reverse{.length = 2,
                     .sources = {piece(Buffer::in, 0, 2, 2, {1})},
                     .targets = {piece(Buffer::out, 2, 2, -2, {1})},
                     .loops = {2}};
  expect_valid(single({compute({reverse})}, 4), Aliasing::in_is_out);
}

TEST(Validate, scratch_reused_in_every_repeat_is_valid) {
  const Pass load = pass(piece(Buffer::in, 0, 2, 1, {2}), piece(Buffer::work, 0, 2, 1, {0}));
  const Pass store = pass(piece(Buffer::work, 0, 2, 1, {0}), piece(Buffer::out, 0, 2, 1, {2}));
  expect_valid(single({{.steps = {{.repeat = 4, .body = {{.pass = load}, {.pass = store}}}}}}));
}

// A cube transformed along each axis, then transposed: strided and contiguous pieces of some millions of elements.
TEST(Validate, millions_of_elements_take_seconds_at_most) {
  const Index n = 128;
  const auto along = [n](Buffer from, Buffer to, std::vector<Index> strides) {
    const std::vector<Index> around{strides[1], strides[2]};
    return Pass{.length = n,
                .sources = {piece(from, 0, n, strides[0], around)},
                .targets = {piece(to, 0, n, strides[0], around)},
                .loops = {n, n}};
  };
  Pass transpose = along(Buffer::work, Buffer::out, {n * n, n, 1});
  transpose.targets[0] = piece(Buffer::out, 0, n, 1, {n, n * n});
  const auto begin = std::chrono::steady_clock::now();
  expect_valid(
      single({compute({along(Buffer::in, Buffer::work, {n * n, n, 1}), along(Buffer::work, Buffer::work, {n, n * n, 1}),
                       along(Buffer::work, Buffer::work, {1, n, n * n})}),
              compute({transpose}, {0})},
             n * n * n));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

}  // namespace
}  // namespace kallima
