// What a run leaves in a trace: both ends of a message by one tag, how often messages were looked at, the settings.

#include <gtest/gtest.h>

#include <map>

#include "kallima/fft.hpp"

namespace kallima {
namespace {

Trace recorded(const Comm& comm, int runs) {
  Fft<double> fft({.shape = {16, 16, 16}}, comm,
                  {.plan = {.route = "cyclic", .exchange = Exchange::messages, .overlap = Overlap::on},
                   .effort = Effort::estimate});
  std::vector<std::complex<double>> in(static_cast<std::size_t>(fft.local_size_in()), 1.0), out(in.size());
  Trace mine;
  fft.record(&mine);
  for (int i = 0; i < runs; ++i) fft.forward(in, out);
  fft.record(nullptr);
  return gather(comm, mine);
}

TEST(Record, both_ends_of_a_message_have_one_tag) {
  run_threads(4, [](const Comm& comm) {
    const Trace trace = recorded(comm, 2);
    std::map<std::tuple<int, int, int>, int> sent, received;
    for (const Event& e : trace.events) {
      if (e.task < 0 || e.peer < 0) continue;
      EXPECT_GE(e.tag, 0);
      if (e.kind == TaskKind::send_start) ++sent[{e.rank, e.peer, e.tag}];
      if (e.kind == TaskKind::recv_finish) ++received[{e.peer, e.rank, e.tag}];
    }
    EXPECT_FALSE(sent.empty());
    EXPECT_EQ(sent, received);
    for (const auto& [message, count] : sent) EXPECT_EQ(count, 2);
  });
}

TEST(Record, looks_at_messages_fit_into_the_computing) {
  run_threads(2, [](const Comm& comm) {
    for (const Event& e : recorded(comm, 1).events) {
      if (e.task < 0 || e.peer >= 0) continue;
      EXPECT_GE(e.longest_gap, 0);
      EXPECT_LE(e.polling + e.longest_gap, e.end - e.begin + 1e-9);
      EXPECT_GT(e.longest_gap, 0);
    }
  });
}

TEST(Record, the_settings_say_how_it_was_run) {
  run_threads(2, [](const Comm& comm) {
    const Trace trace = recorded(comm, 1);
    const std::map<std::string, std::string> settings(trace.settings.begin(), trace.settings.end());
    EXPECT_EQ(settings.at("route"), "cyclic");
    EXPECT_EQ(settings.at("exchange"), "messages");
    EXPECT_EQ(settings.at("transport"), "threads");
    EXPECT_EQ(settings.at("ranks"), "2");
    EXPECT_EQ(settings.at("tuning"), text(Tuning{}));
    EXPECT_TRUE(settings.contains("clock error"));
    EXPECT_EQ(trace.element_bytes, 16);
  });
}

}  // namespace
}  // namespace kallima
