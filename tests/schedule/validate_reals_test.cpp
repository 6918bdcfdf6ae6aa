// Reals in passes, messages and memory: what fits is accepted, and each way not to fit is refused.

#include "examples.hpp"

namespace kallima {
namespace {

using namespace examples;

Piece reals(Buffer buffer, Index offset, Index count, Index stride = 1, std::vector<Index> strides = {}) {
  Piece p = piece(buffer, offset, count, stride, std::move(strides));
  p.real = true;
  return p;
}

// Two lines of six reals to four complex numbers each.
Pass to_half() {
  return {.kind = Kind::real_to_half,
          .length = 6,
          .sources = {reals(Buffer::in, 0, 6, 1, {6})},
          .targets = {piece(Buffer::out, 0, 4, 1, {4})},
          .loops = {2}};
}

Pass to_real() {
  return {.kind = Kind::half_to_real,
          .length = 6,
          .sources = {piece(Buffer::in, 0, 4, 1, {4})},
          .targets = {reals(Buffer::out, 0, 6, 1, {6})},
          .loops = {2}};
}

Schedule forward(Pass p) {
  Schedule s = single({compute({std::move(p)})});
  s.ranks[0].sizes = {12, 8, 0, 0};
  s.ranks[0].data_in = Data::real_;
  return s;
}

Schedule backward(Pass p) {
  Schedule s = single({compute({std::move(p)})});
  s.ranks[0].sizes = {8, 12, 0, 0};
  s.ranks[0].data_out = Data::real_;
  return s;
}

// The exchange of the examples with reals for elements: three are sent, so that one more than half of them is counted.
Schedule exchange_of_reals(bool lands = true) {
  Schedule s = exchange(lands);
  for (RankSchedule& r : s.ranks) {
    r.sizes = {4, 5, 2, 2};
    r.data_in = r.data_out = Data::real_;
    for (Task& t : r.tasks) {
      t.range.real = t.peer >= 0;
      t.range.count = t.range.count > 0 ? 3 : 0;
      if (t.peer >= 0) t.elements = 2;
    }
    Pass make{.action = Action::move, .length = 4};
    make.sources = {reals(Buffer::in, 0, 4)};
    make.targets = {reals(Buffer::work, 0, 4)};
    r.tasks[1].steps[0].pass = make;
    Pass join{.action = Action::move, .length = 5};
    join.sources = {reals(Buffer::work, 2, 2), reals(Buffer::in, 0, 3)};
    join.sources[1].recv = 3;
    join.sources[1].first = 2;
    join.targets = {reals(Buffer::out, 0, 5)};
    r.tasks[4].steps[0].pass = join;
  }
  return s;
}

TEST(ValidateReals, half_a_spectrum_has_one_element_more_than_half_the_reals) {
  expect_valid(forward(to_half()));
  expect_valid(backward(to_real()));
  Pass p = to_half();
  p.targets[0].count = 3;
  expect_refused(forward(p), {"targets cover 3 of the line's 4"});
  p = to_real();
  p.sources[0].count = 6;
  expect_refused(backward(p), {"source 0", "line has 4"});
}

TEST(ValidateReals, kinds_fit_the_pieces) {
  const auto refused = [](Pass p, std::vector<std::string> words) { expect_refused(forward(std::move(p)), words); };
  Pass p = to_half();
  p.sources[0].real = false;
  refused(p, {"real_to_half from complex numbers to complex numbers"});
  p = to_half();
  p.kind = Kind::fourier;
  refused(p, {"fourier from reals"});
  p.kind = Kind::half_to_real;
  refused(p, {"half_to_real from reals to complex"});
  p.kind = Kind::dst3;
  refused(p, {"dst3 from reals to complex"});
  p.action = Action::move;
  refused(p, {"move from reals to complex"});
  p = to_real();
  p.action = Action::sum;
  refused(p, {"sum from complex numbers to reals"});
  p = to_half();
  p.sources = {reals(Buffer::in, 0, 3, 1, {6}), piece(Buffer::in, 0, 3, 1, {6})};
  p.sources[1].first = 3;
  refused(p, {"from both kinds"});
}

TEST(ValidateReals, cosine_transforms_stay_with_what_they_have) {
  Schedule s = single({compute({pass(reals(Buffer::in, 0, 8), reals(Buffer::out, 0, 8))})});
  s.ranks[0].data_in = s.ranks[0].data_out = Data::real_;
  Pass& p = s.ranks[0].tasks[0].steps[0].pass;
  p.kind = Kind::dct1;
  expect_valid(s);
  expect_valid(s, Aliasing::in_is_out);
  p.twiddle = {.modulus = 16, .shift = 1};
  expect_refused(s, {"dct1", "twiddle", "modulus 16", "result is real"});
  Pass complex_one = pass(piece(Buffer::in, 0, 8), piece(Buffer::out, 0, 8));
  complex_one.kind = Kind::dst2;
  expect_valid(single({compute({complex_one})}));
  complex_one.twiddle = {.modulus = 16, .shift = 1};
  expect_refused(single({compute({complex_one})}), {"dst2", "no Fourier transform"});
  Pass one = pass(piece(Buffer::in, 0, 1), piece(Buffer::out, 0, 1));
  one.kind = Kind::dct1;
  expect_refused(single({compute({one})}, 1), {"dct1 of 1 element"});
}

TEST(ValidateReals, twiddles_follow_real_to_half_but_not_half_to_real) {
  Pass p = to_half();
  p.twiddle = {.modulus = 12, .step = 1, .loop = 0};
  expect_valid(forward(p));
  p = to_real();
  p.twiddle = {.modulus = 12, .step = 1, .loop = 0};
  expect_refused(backward(p), {"half_to_real", "twiddle"});
}

TEST(ValidateReals, only_complex_moves_are_conjugated) {
  Pass p = pass(piece(Buffer::in, 0, 8), piece(Buffer::out, 0, 8));
  p.conjugated = true;
  expect_refused(single({compute({p})}), {"conjugates a fourier"});
  p.action = Action::move;
  expect_valid(single({compute({p})}));
  p = pass(reals(Buffer::in, 0, 16), reals(Buffer::out, 0, 16));
  p.action = Action::move;
  expect_valid(single({compute({p})}));
  p.conjugated = true;
  expect_refused(single({compute({p})}), {"conjugates a move to reals"});
}

TEST(ValidateReals, extremes_are_counted_in_what_the_piece_counts) {
  Pass p = to_half();
  p.sources[0].offset = 1;
  expect_refused(forward(p), {"source 0", "reals 1 to 12 of in", "has 12"});
  Schedule s = forward(to_half());
  s.ranks[0].data_in = Data::complex_;  // twelve complex numbers: room for 24 reals
  expect_valid(s);
  s = forward(pass(piece(Buffer::in, 0, 7), piece(Buffer::out, 0, 7)));
  expect_refused(s, {"elements 0 to 6 of in", "has 6"});
}

TEST(ValidateReals, every_real_of_out_is_written_and_none_twice) {
  Pass p = to_real();
  p.loops = {1};
  expect_refused(backward(p), {"never writes real 6 of out"});
  p = to_real();
  p.targets[0].strides = {5};
  expect_refused(backward(p), {"writes real 5 of out twice"});
}

// Lines of four complex numbers where eight reals stood; six reals apart, one line would meet the next.
TEST(ValidateReals, a_real_transform_in_place_needs_lines_with_room_for_both_ends) {
  Pass p = to_half();
  p.sources[0].strides = {8};
  Schedule s = forward(p);
  s.ranks[0].sizes[0] = 14;
  expect_valid(s, Aliasing::in_is_out);
  expect_refused(forward(to_half()), {"reads real 6 of in in line 1 and writes it in line 0"}, Aliasing::in_is_out);
}

TEST(ValidateReals, reals_travel_in_messages_that_land_or_do_not) {
  expect_valid(exchange_of_reals());
  expect_valid(exchange_of_reals(false));
}

TEST(ValidateReals, both_ends_of_a_message_agree_in_kind_and_count) {
  Schedule s = exchange_of_reals(false);
  for (const std::size_t t : {0, 3}) s.ranks[0].tasks[t].range.real = false;
  expect_refused(s, {"sends reals to rank 0", "expects complex numbers"});
  s = exchange_of_reals();
  for (const std::size_t t : {0, 3}) s.ranks[0].tasks[t].range.count = 4;  // counts as two elements as well
  expect_refused(s, {"sends 3 reals to rank 0", "room for 4"});
  s = exchange_of_reals();
  for (const std::size_t t : {0, 3}) s.ranks[1].tasks[t].elements = 3;
  expect_refused(s, {"rank 1", "3 elements", "3 reals"});
}

TEST(ValidateReals, what_is_beyond_a_message_of_reals_is_not_read) {
  Schedule s = exchange_of_reals(false);
  s.ranks[0].tasks[4].steps[0].pass.sources[1].offset = 1;  // three of two elements' worth: the fourth is not there
  expect_refused(s, {"rank 0, task 4", "reals 1 to 3 of a received block", "has 3"});
}

TEST(ValidateReals, a_range_of_reals_stays_inside_its_buffer) {
  Schedule s = exchange_of_reals();
  for (const std::size_t t : {2, 5}) s.ranks[0].tasks[t].range.offset = 2;
  expect_refused(s, {"rank 0, task 2", "3 reals from 2 of work", "has 4"});
}

TEST(ValidateReals, two_reals_are_one_word_rounded_up) { EXPECT_EQ(exchange_of_reals().ranks[0].words_sent(), 2); }

TEST(ValidateReals, go_through_json_and_show_in_text) {
  Schedule s = exchange_of_reals();
  EXPECT_EQ(schedule_from_json(to_json(s)), s);
  EXPECT_NE(text(s).find("work reals[0, 3)"), std::string::npos) << text(s);
  EXPECT_NE(text(s).find("in 4 reals"), std::string::npos) << text(s);
  EXPECT_NE(text(s).find("out reals[0 + 1e]"), std::string::npos) << text(s);
  s = forward(to_half());
  EXPECT_EQ(schedule_from_json(to_json(s)), s);
  EXPECT_NE(text(s).find("real_to_half 6"), std::string::npos) << text(s);
}

}  // namespace
}  // namespace kallima
