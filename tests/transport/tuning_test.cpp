#include "kallima/tuning.hpp"

#include <gtest/gtest.h>

#include "kallima/types.hpp"

namespace kallima {
namespace {

TEST(Tuning, reads_back_what_it_writes) {
  const Tuning odd{.piece_bytes = 60001,
                   .send_window = 3,
                   .receive_window = 17,
                   .poll_seconds = 12.5e-6,
                   .progress = ProgressBy::thread};
  for (const Tuning& tuning : {Tuning{}, odd, Tuning{.piece_bytes = 3 << 20}}) {
    const Tuning again = tuned(text(tuning));
    EXPECT_EQ(text(again), text(tuning));
    EXPECT_EQ(again.piece_bytes, tuning.piece_bytes);
    EXPECT_NEAR(again.poll_seconds, tuning.poll_seconds, 1e-12);
  }
  EXPECT_EQ(text(Tuning{}), "piece=63k,send=4,receive=8,poll=200us,progress=polling");
}

TEST(Tuning, changes_only_what_is_named) {
  const Tuning tuning = tuned("send=2,poll=1ms");
  EXPECT_EQ(tuning.send_window, 2);
  EXPECT_DOUBLE_EQ(tuning.poll_seconds, 1e-3);
  EXPECT_EQ(tuning.piece_bytes, Tuning{}.piece_bytes);
  EXPECT_EQ(tuned(""), Tuning{});
}

TEST(Tuning, says_what_is_wrong) {
  const auto says = [](const std::string& words, const std::string& part) {
    try {
      tuned(words);
      ADD_FAILURE() << words << " was accepted";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  says("piece=0", "will do");
  says("piece=2000000k", "will do");
  says("piece=8x", "no unit of size");
  says("send=1.5", "whole number");
  says("send=", "no number");
  says("receive=0", "will do");
  says("poll=50", "no unit of time");
  says("poll=2000ms", "will do");
  says("progress=magic", "polling and thread");
  says("speed=11", "'speed' cannot be tuned");
  says("piece", "no number");
}

}  // namespace
}  // namespace kallima
