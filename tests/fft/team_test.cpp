#include "fft/team.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "kallima/types.hpp"

namespace kallima {
namespace {

TEST(Team, does_every_part_once_however_many_call) {
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int caller = 0; caller < 3; ++caller)
    callers.emplace_back([&, caller] {
      for (int i = 0; i < 500; ++i) {
        std::vector<int> done(at(1 + (7 * i + caller) % 5));
        Team::of_this_process().run(static_cast<int>(done.size()), [&](int part) { ++done[at(part)]; });
        for (const int times : done) wrong += times != 1;
      }
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Team, hands_on_what_a_part_throws_and_goes_on) {
  const auto fails = [](int part) {
    if (part == 2) throw Error("part 2 fails");
  };
  EXPECT_THROW(Team::of_this_process().run(3, fails), Error);
  int sum = 0;
  Team::of_this_process().run(1, [&](int) { ++sum; });
  EXPECT_EQ(sum, 1);
}

}  // namespace
}  // namespace kallima
