// What a preparation leaves is read by every run and written by none; fills read nothing, and products read two lines.

#include "examples.hpp"

namespace kallima {
namespace {

using namespace examples;

Pass fill(Buffer buffer, Index count) {
  return {.action = Action::fill, .length = count, .targets = {piece(buffer, 0, count)}};
}

Pass product(Buffer by, Buffer to) {
  Pass pass{.action = Action::multiply, .length = 8, .targets = {piece(to, 0, 8)}};
  pass.sources = {piece(Buffer::in, 0, 8), piece(by, 0, 8)};
  pass.sources[1].first = 8;
  return pass;
}

// out = in * kept, which is a chirp.
Schedule prepared() {
  Schedule s = single({compute({product(Buffer::kept, Buffer::out)})});
  s.ranks[0].sizes[at(Buffer::kept)] = 8;
  Pass chirp = fill(Buffer::out, 8);
  chirp.twiddle = {.modulus = 16, .step = 1};
  s.preparation = {{.rank = 0, .sizes = {0, 8}, .tasks = {compute({chirp})}}};
  return s;
}

Schedule changed_product(const std::function<void(Pass&)>& change) {
  Schedule s = prepared();
  change(s.ranks[0].tasks[0].steps[0].pass);
  return s;
}

TEST(Validate, a_run_reads_what_a_preparation_left) {
  expect_valid(prepared());
  EXPECT_EQ(schedule_from_json(to_json(prepared())), prepared());
}

TEST(Validate, what_is_kept_is_not_written) {
  Schedule s = prepared();
  s.ranks[0].tasks.push_back(compute({fill(Buffer::kept, 8)}, {0}));
  expect_refused(s, {"rank 0, task 1", "writes kept[0]"});
}

TEST(Validate, a_preparation_leaves_what_is_kept) {
  Schedule s = prepared();
  s.preparation.clear();
  expect_refused(s, {"rank 0 keeps 8 elements", "leaves 0"});
  s = prepared();
  s.preparation[0].tasks[0].steps[0].pass.length = 7;
  s.preparation[0].tasks[0].steps[0].pass.targets[0].count = 7;
  expect_refused(s, {"never writes out[7]"});
  s = prepared();
  s.preparation[0].sizes[at(Buffer::in)] = 1;
  expect_refused(s, {"preparation of rank 0 has an in of 1"});
  s = exchange();
  s.preparation = {RankSchedule{}};
  expect_refused(s, {"1 of 2 ranks have a preparation"});
}

TEST(Validate, a_product_is_of_two_lines_of_neighbours) {
  expect_refused(changed_product([](Pass& p) { p.sources.pop_back(); }), {"multiplies 1 pieces"});
  expect_refused(changed_product([](Pass& p) { p.sources[1].first = 0; }), {"multiplies 2 pieces"});
  expect_refused(changed_product([](Pass& p) { p.targets[0].stride = -1; }), {"multiplies 2 pieces"});
  expect_refused(changed_product([](Pass& p) { p.twiddle = {.modulus = 4}; }), {"twiddle factors of modulus 4"});
  expect_refused(changed_product([](Pass& p) { p.divisor = 2; }), {"divides a multiply by 2"});
  expect_refused(changed_product([](Pass& p) { p.sources[0].buffer = Buffer::work; }), {"reads work[0]"});
}

// Eight reals by as many complex numbers, and back to reals by their conjugates.
Schedule product_of_reals() {
  Schedule s = prepared();
  RankSchedule& rank = s.ranks[0];
  rank.data_in = rank.data_out = Data::real_;
  rank.sizes[at(Buffer::work)] = 8;
  Pass there = product(Buffer::kept, Buffer::work), back = product(Buffer::kept, Buffer::out);
  there.sources[0].real = back.targets[0].real = true;
  back.sources[0].buffer = Buffer::work;
  back.conjugated = true;
  rank.tasks = {compute({there, back})};
  return s;
}

TEST(Validate, a_product_may_begin_or_end_with_reals_that_stand_apart) {
  expect_valid(product_of_reals());
  EXPECT_EQ(schedule_from_json(to_json(product_of_reals())), product_of_reals());
  const auto changed = [](const std::function<void(Pass&, Pass&)>& change) {
    Schedule s = product_of_reals();
    std::vector<Step>& steps = s.ranks[0].tasks[0].steps;
    change(steps[0].pass, steps[1].pass);
    return s;
  };
  expect_refused(changed([](Pass& there, Pass&) { there.sources[1].real = true; }), {"from reals to complex numbers"});
  expect_refused(changed([](Pass& there, Pass&) { there.targets[0].real = true; }), {"is a multiply", "to reals"});
  expect_refused(changed([](Pass&, Pass& back) { back.sources[1].real = true; }), {"is a multiply", "both kinds"});
  expect_refused(changed([](Pass&, Pass& back) { back.targets[0].buffer = Buffer::work; }), {"in their place"});
  const auto in_to_out = [](Pass& there, Pass&) {
    there.length = there.sources[0].count = there.sources[1].count = there.sources[1].first = there.targets[0].count =
        4;
    there.targets[0].buffer = Buffer::out;
  };
  expect_refused(changed(in_to_out), {"in their place"});
}

// out = in times a chirp and a phase, and then as much again.
Schedule chirped() {
  Schedule s = single({});
  Pass once{.action = Action::chirp, .length = 8, .targets = {piece(Buffer::out, 0, 8)}};
  once.sources = {piece(Buffer::in, 0, 8)};
  once.twiddle = {.modulus = 16, .step = 1};
  once.phase = {.modulus = 5, .shift = 2, .step = 4};
  Pass again = once;
  again.sources.push_back(piece(Buffer::out, 0, 8));
  again.sources[1].first = 8;
  again.divisor = 2;
  again.conjugated = true;
  s.ranks[0].tasks = {compute({once, again})};
  return s;
}

TEST(Validate, a_chirp_is_of_a_line_of_neighbours_and_adds_what_is_behind_it) {
  expect_valid(chirped());
  EXPECT_EQ(schedule_from_json(to_json(chirped())), chirped());
  const auto changed = [](std::size_t which, const std::function<void(Pass&)>& change) {
    Schedule s = chirped();
    change(s.ranks[0].tasks[0].steps[which].pass);
    return s;
  };
  expect_refused(changed(0, [](Pass& p) { p.sources.clear(); }), {"a chirp for 0 pieces"});
  expect_refused(changed(0, [](Pass& p) { p.sources[0].stride = -1; }), {"a chirp for 1 pieces"});
  expect_refused(changed(1, [](Pass& p) { p.sources[1].first = 0; }), {"a chirp for 2 pieces"});
  expect_refused(changed(1, [](Pass& p) { p.sources[1].real = true; }), {"is a chirp"});
  expect_refused(changed(1, [](Pass& p) { p.sources[1].buffer = Buffer::work; }), {"reads work[0]"});
  expect_refused(changed(0, [](Pass& p) { p.targets[0].real = p.sources[0].real = true; }), {"is a chirp from reals"});
  expect_refused(changed(0, [](Pass& p) { p.twiddle.modulus = 0; }), {"a chirp of modulus 0"});
  expect_refused(changed(0, [](Pass& p) { p.twiddle.loop = 0; }), {"varies with no loop"});
  expect_refused(changed(0, [](Pass& p) { p.phase.loop = 0; }), {"a phase of modulus 5"});
  expect_refused(changed(0, [](Pass& p) { p.phase.shift = -1; }), {"a phase of modulus 5"});
  expect_refused(changed_product([](Pass& p) { p.phase.modulus = 4; }), {"only chirps have one"});
}

TEST(Validate, a_chirp_has_exponents_that_can_be_counted) {
  const auto with = [](const Twiddle& t) {
    Schedule s = prepared();
    s.preparation[0].tasks[0].steps[0].pass.twiddle = t;
    return s;
  };
  expect_refused(with({.modulus = Index{1} << 60}), {"chirp of modulus"});
  expect_refused(with({.modulus = 16, .step = Index{1} << 58}), {"chirp of modulus"});
  expect_refused(with({.modulus = 16, .step = 1, .loop = 0}), {"over loop 0"});
}

}  // namespace
}  // namespace kallima
