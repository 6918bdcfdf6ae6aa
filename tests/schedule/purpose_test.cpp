// What a schedule says it is for survives the way through JSON, and is held against what its ranks have room for.

#include <nlohmann/json.hpp>

#include "examples.hpp"
#include "kallima/outline.hpp"

namespace kallima {
namespace {

using namespace examples;

Schedule with_purpose() {
  Schedule s = exchange();
  s.purpose = Purpose{.shape_in = {8}, .shape_out = {2, 4}, .layout_in = "cyclic:2", .layout_out = "block:2x1"};
  return s;
}

TEST(Purpose, goes_through_json_unchanged) {
  Schedule s = with_purpose();
  s.purpose->precision = Precision::single_;
  s.purpose->scale = 1.0 / 3;
  EXPECT_EQ(schedule_from_json(to_json(s)), s);
  EXPECT_EQ(schedule_from_json(to_json(exchange())).purpose, std::nullopt);
}

TEST(Purpose, fits_the_ranks) { EXPECT_NO_THROW(validate(with_purpose())); }

TEST(Purpose, tells_the_outline_how_long_words_are) {
  Schedule s = with_purpose();
  EXPECT_EQ(outline(s).word_bytes, 16);
  s.purpose->precision = Precision::single_;
  EXPECT_EQ(outline(s).word_bytes, 8);
}

void expect_purpose_refused(const std::function<void(Purpose&)>& change, const std::string& words) {
  Schedule s = with_purpose();
  change(*s.purpose);
  try {
    validate(s);
    ADD_FAILURE() << "accepted, though it should have said " << words;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(Purpose, that_does_not_fit_is_refused_with_the_reason) {
  expect_purpose_refused([](Purpose& p) { p.shape_in = {9}; },
                         "rank 0 has an `in` of 4 elements (layout cyclic:2 of 9 gives it 5)");
  expect_purpose_refused([](Purpose& p) { p.shape_in = {}; }, "no shape at `in`");
  expect_purpose_refused([](Purpose& p) { p.shape_out = {0, 4}; }, "shape 0x4 at `out`");
  expect_purpose_refused([](Purpose& p) { p.shape_out = {Index{1} << 40, Index{1} << 40}; }, "2^59 elements at most");
  expect_purpose_refused([](Purpose& p) { p.layout_in = "cyclic:3"; }, "impossible layout at `in`");
  expect_purpose_refused([](Purpose& p) { p.layout_in = "heap"; }, "impossible layout at `in`");
  expect_purpose_refused([](Purpose& p) { p.layout_out = "boxes:/etc/hostname"; }, "reads no other file");
  expect_purpose_refused([](Purpose& p) { p.scale = HUGE_VAL; }, "scales by inf");
}

void expect_nonsense_refused(const std::function<void(RankSchedule&)>& change, const std::string& words) {
  Schedule s = exchange();
  change(s.ranks[0]);
  try {
    validate(s);
    ADD_FAILURE() << "accepted, though it should have said " << words;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

// Numbers that would make the proof itself, or a kernel, go astray.
TEST(Purpose, numbers_from_a_hostile_file_are_refused_before_they_are_used) {
  expect_nonsense_refused([](RankSchedule& r) { r.sizes[2] = Index{1} << 60; }, "use 0 to 2^59");
  expect_nonsense_refused([](RankSchedule& r) { r.padding_out = -1; }, "-1 elements of padding");
  expect_nonsense_refused([](RankSchedule& r) { r.padding_out = 5; }, "5 elements of padding");
  expect_nonsense_refused([](RankSchedule& r) { r.tasks[1].flops = -1; }, "-1 flops");
  const auto change_pass = [](const std::function<void(Pass&)>& change) {
    return [change](RankSchedule& r) { change(r.tasks[1].steps[0].pass); };
  };
  expect_nonsense_refused(change_pass([](Pass& p) { p.length = Index{1} << 58; }), "has room for");
  expect_nonsense_refused(change_pass([](Pass& p) { p.twiddle = {.modulus = 8, .shift = -1}; }), "shift -1");
  expect_nonsense_refused(change_pass([](Pass& p) { p.twiddle = {.modulus = 8, .step = Index{1} << 60}; }),
                          "use 0 to 2^59");
}

}  // namespace
}  // namespace kallima
