// Passes that leave elements of a line out, cover them twice or reach outside their buffers are refused.

#include "examples.hpp"

namespace kallima {
namespace {

using namespace examples;

Schedule with_pass(Pass p) { return single({compute({std::move(p)})}); }

Pass copy_all() { return pass(piece(Buffer::in, 0, 8), piece(Buffer::out, 0, 8)); }

TEST(Validate, lines_interleaved_from_two_pieces_are_valid) {
  Pass p = copy_all();
  Piece even = piece(Buffer::in, 0, 4), odd = piece(Buffer::in, 4, 4);
  even.every = odd.every = 2;
  odd.first = 1;
  p.sources = {even, odd};
  expect_valid(with_pass(p));
}

TEST(Validate, loops_and_repeats_with_their_strides_are_valid) {
  Pass p{.length = 2,
         .sources = {piece(Buffer::in, 0, 2, 4, {2, 1})},
         .targets = {piece(Buffer::out, 7, 2, -4, {-2, -1})},
         .loops = {2}};
  expect_valid(single({{.steps = {{.repeat = 2, .body = {{.pass = p}}}}}}));
}

TEST(Validate, a_line_covered_twice_or_not_at_all_is_refused) {
  Pass p = copy_all();
  p.sources = {piece(Buffer::in, 0, 4), piece(Buffer::in, 0, 4)};
  expect_refused(with_pass(p), {"rank 0, task 0", "pass 0, source 1", "line element 0 again"});
  p.sources.pop_back();
  expect_refused(with_pass(p), {"sources cover 4 of the line's 8"});
  p = copy_all();
  p.targets.clear();
  expect_refused(with_pass(p), {"targets cover 0 of the line's 8"});
}

TEST(Validate, a_piece_beyond_the_line_is_refused) {
  Pass p = copy_all();
  p.sources[0].every = 2;
  expect_refused(with_pass(p), {"source 0", "8 elements from 0 by 2", "line has 8"});
  p = copy_all();
  p.targets[0].first = 1;
  expect_refused(with_pass(p), {"target 0", "8 elements from 1"});
  p.targets[0].first = 0;
  p.targets[0].every = 0;
  expect_refused(with_pass(p), {"target 0", "by 0"});
}

TEST(Validate, a_piece_outside_its_buffer_is_refused) {
  Pass p = copy_all();
  p.sources[0].offset = 1;
  expect_refused(with_pass(p), {"source 0", "elements 1 to 8 of in", "has 8"});
  p.sources[0] = piece(Buffer::in, 6, 8, -1);
  expect_refused(with_pass(p), {"source 0", "elements -1 to 6"});
  p.sources[0] = piece(Buffer::in, 0, 8, Index{1} << 62);
  expect_refused(with_pass(p), {"source 0", "of in"});
}

TEST(Validate, a_piece_outside_the_received_block_is_refused) {
  expect_refused(changed([](RankSchedule& r) { r.tasks[4].steps[0].pass.sources[1].offset = 3; }),
                 {"rank 0, task 4", "source 1", "elements 3 to 4 of a received block", "has 4"});
}

TEST(Validate, a_piece_must_name_a_recv_finish) {
  for (const int wrong : {0, 2, 99})
    expect_refused(changed([wrong](RankSchedule& r) { r.tasks[4].steps[0].pass.sources[1].recv = wrong; }),
                   {"task 4", "task " + std::to_string(wrong), "no recv_finish"});
}

TEST(Validate, writing_to_a_received_block_is_refused) {
  expect_refused(changed([](RankSchedule& r) { r.tasks[4].steps[0].pass.targets[0].recv = 3; }),
                 {"task 4", "target 0", "read only"});
}

TEST(Validate, missing_strides_are_refused) {
  Pass p = copy_all();
  p.loops = {1};
  expect_refused(with_pass(p), {"source 0", "0 strides", "1 loops"});
}

TEST(Validate, empty_lines_loops_and_repeats_are_refused) {
  Pass p = copy_all();
  p.length = 0;
  expect_refused(with_pass(p), {"lines of 0 elements"});
  p = copy_all();
  p.loops = {0};
  p.sources[0].strides = p.targets[0].strides = {1};
  expect_refused(with_pass(p), {"loop of 0 iterations"});
  expect_refused(single({{.steps = {{.repeat = 0, .body = {{.pass = p}}}}}}), {"loop of 0 iterations"});
  expect_refused(single({{.steps = {{.repeat = 3, .pass = copy_all()}}}}), {"repeated 3 times"});
}

TEST(Validate, twiddles_must_name_a_loop_of_their_pass) {
  Pass p = copy_all();
  p.twiddle = {.modulus = 8, .step = 1, .loop = 0};
  expect_refused(with_pass(p), {"twiddle over loop 0"});
  p.twiddle.loop = -2;
  expect_refused(with_pass(p), {"twiddle over loop -2"});
  p.twiddle = {.modulus = -8};
  expect_refused(with_pass(p), {"modulus -8"});
  p.twiddle = {.modulus = 8, .shift = 3};
  expect_valid(with_pass(p));
}

TEST(Validate, a_target_that_does_not_move_with_a_loop_is_refused) {
  Pass p{.length = 4,
         .sources = {piece(Buffer::in, 0, 4, 1, {4})},
         .targets = {piece(Buffer::out, 0, 4, 1, {0})},
         .loops = {2}};
  expect_refused(with_pass(p), {"target 0", "strides is 0"});
}

TEST(Validate, targets_that_overlap_in_one_pass_are_refused) {
  Pass p{.length = 4,
         .sources = {piece(Buffer::in, 0, 4, 1, {4})},
         .targets = {piece(Buffer::out, 0, 4, 1, {3})},
         .loops = {2}};
  expect_refused(with_pass(p), {"task 0", "writes out[3] twice"});
  p.targets = {piece(Buffer::out, 0, 2, 1, {4}), piece(Buffer::out, 1, 2, 1, {4})};
  p.targets[1].first = 2;
  expect_refused(with_pass(p), {"writes out[1] twice"});
}

// Four lines of two, added up.
Pass add_halves() {
  Pass p{.action = Action::sum,
         .length = 2,
         .sources = {piece(Buffer::in, 0, 2, 4, {1})},
         .targets = {piece(Buffer::out, 0, 1, 1, {1})},
         .loops = {4}};
  return p;
}

Schedule with_sum(Pass p) {
  return single({compute({std::move(p), pass(piece(Buffer::in, 0, 4), piece(Buffer::out, 4, 4))})});
}

TEST(Validate, a_sum_leaves_one_element_of_each_line) {
  expect_valid(with_sum(add_halves()));
  Pass p = add_halves();
  p.targets[0].count = 2;
  expect_refused(with_sum(p), {"target 0", "2 elements from 0", "line has 1"});
  p = add_halves();
  p.sources[0].count = 1;
  expect_refused(with_sum(p), {"sources cover 1 of the line's 2"});
  p = add_halves();
  p.targets.clear();
  expect_refused(with_sum(p), {"targets cover 0 of the line's 1"});
  p = add_halves();
  p.twiddle = {.modulus = 8};
  expect_refused(with_sum(p), {"modulus 8", "a sum"});
}

// A function of the caller's on what was moved to `out`.
Schedule with_function(Pass p) {
  return single({compute({pass(piece(Buffer::in, 0, 8), piece(Buffer::out, 0, 8)), std::move(p)})});
}

TEST(Validate, a_function_is_applied_to_neighbours_where_they_stand) {
  Pass sound{.action = Action::apply, .length = 4, .loops = {2}};
  sound.sources = sound.targets = {piece(Buffer::out, 0, 4, 1, {4})};
  expect_valid(with_function(sound));
  Pass p = sound;
  p.sources[0].buffer = Buffer::in;
  expect_refused(with_function(p), {"task 0", "source and target alike"});
  p = sound;
  p.sources[0].stride = p.targets[0].stride = 2;
  p.sources[0].strides = p.targets[0].strides = {1};
  expect_refused(with_function(p), {"one of neighbours"});
  p = sound;
  p.twiddle = {.modulus = 8};
  expect_refused(with_function(p), {"twiddle factors of modulus 8"});
}

// Eight elements encoded to five reals of the work buffer, and decoded to `out`.
Schedule with_encoding(const Pass& encode) {
  Piece room = piece(Buffer::work, 3, 5);
  room.real = true;
  Pass decode{.action = Action::decode, .length = 8, .sources = {room}, .targets = {piece(Buffer::out, 0, 8)}};
  decode.wire = {Wire::Format::shared_exponent, 2};
  return single({compute({encode, decode})});
}

TEST(Validate, lines_are_encoded_as_a_whole_into_reals) {
  Pass sound{.action = Action::encode, .length = 8, .sources = {piece(Buffer::in, 0, 8)}};
  sound.targets = {piece(Buffer::work, 3, 5)};
  sound.targets[0].real = true;
  sound.wire = {Wire::Format::shared_exponent, 2};
  expect_valid(with_encoding(sound));
  Pass p = sound;
  p.targets[0].real = false;
  expect_refused(with_encoding(p), {"encode", "counts as reals"});
  p = sound;
  p.wire = {};
  expect_refused(with_encoding(p), {"other than same"});
  p = sound;
  p.loops = {1};
  p.sources[0].strides = p.targets[0].strides = {0};
  expect_refused(with_encoding(p), {"in 1 loops"});
  p = sound;
  p.targets[0].count = 14;
  expect_refused(with_encoding(p), {"touches reals 3 to 16"});
  p = sound;
  p.targets[0].count = 4;  // one fewer than is decoded
  expect_refused(with_encoding(p), {"real 7 of work"});
}

}  // namespace
}  // namespace kallima
