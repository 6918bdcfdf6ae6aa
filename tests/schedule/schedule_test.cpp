// What a schedule says about itself.

#include <set>

#include "examples.hpp"

namespace kallima {
namespace {

using namespace examples;

TEST(Schedule, words_sent_counts_each_send_once) {
  EXPECT_EQ(exchange().ranks[0].words_sent(), 4);
  EXPECT_EQ(RankSchedule{}.words_sent(), 0);
}

TEST(Schedule, names_are_all_different) {
  std::set<std::string_view> names;
  for (int kind = 0; kind < 6; ++kind) names.insert(name(static_cast<TaskKind>(kind)));
  for (const Buffer b : buffers) names.insert(name(b));
  EXPECT_EQ(names.size(), 6 + buffers.size());
  EXPECT_THROW(name(static_cast<TaskKind>(6)), Error);
}

TEST(Schedule, text_shows_every_task_with_its_peer_and_range) {
  const std::string all = text(exchange());
  for (const char* part : {"schedule 'exchange', forward, 2 ranks, 1 exchange", "rank 1: sends 4 words",
                           "2 send_start 'exchange' chunk 0 to 1, tag 0, work[0, 4)", "started by 2", "after 1,3",
                           "recv 3[0 + 1e] for 2..3", "transform 4: "})
    EXPECT_NE(all.find(part), std::string::npos) << part << "\n" << all;
}

TEST(Schedule, text_changes_with_anything_that_decides_the_result) {
  const std::string before = text(exchange());
  const std::vector<std::function<void(Task&)>> changes{
      [](Task& t) { t.after.push_back(2); },
      [](Task& t) { t.chunk = 1; },
      [](Task& t) { t.steps[0].pass.action = Action::move; },
      [](Task& t) { t.steps[0].pass.scaled = true; },
      [](Task& t) { t.steps[0].pass.conjugated = true; },
      [](Task& t) { t.steps[0].pass.loops = {1}; },
      [](Task& t) { t.steps[0].pass.twiddle = {.modulus = 3, .shift = 1}; },
      [](Task& t) { t.steps[0].pass.sources[0].offset = 1; },
      [](Task& t) { t.steps[0].pass.sources[0].strides = {4}; },
      [](Task& t) { t.steps[0].pass.targets[0].buffer = Buffer::work; },
      [](Task& t) { t.steps = {{.repeat = 2, .body = t.steps}}; }};
  for (const auto& change : changes) {
    Schedule s = exchange();
    change(s.ranks[0].tasks[4]);
    EXPECT_NE(text(s), before);
  }
}

TEST(Schedule, text_tells_what_a_fill_writes_and_how_it_is_prepared) {
  Pass zeros{.action = Action::fill, .length = 4, .targets = {piece(Buffer::out, 0, 4)}};
  Pass chirp = zeros;
  chirp.twiddle = {.modulus = 14, .shift = 1, .step = 2};
  chirp.divisor = 16;
  Schedule s = single({compute({zeros})});
  s.preparation = single({compute({chirp})}).ranks;
  const std::string all = text(s);
  for (const char* part : {"fill 4 with zeros", "prepared", "fill 4 with omega_14^((1 + 2 k)^2) / 16"})
    EXPECT_NE(all.find(part), std::string::npos) << part << "\n" << all;
}

}  // namespace
}  // namespace kallima
