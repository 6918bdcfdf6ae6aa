// Clocks that are made to differ are brought together to within the round trip that was measured.

#include "transport/clocks.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "chaos.hpp"

namespace kallima {
namespace {

double shift_of(int rank) { return rank == 0 ? -3.5 : 1000.0 * rank + 0.25; }

ReadClock shifted(int rank) {
  return [rank] { return steady_seconds() + shift_of(rank); };
}

void expect_found(Transport& transport) {
  const auto offsets = clock_offsets(transport, shifted(transport.rank()));
  ASSERT_EQ(offsets.size(), static_cast<std::size_t>(transport.size()));
  for (int r = 0; r < transport.size(); ++r) {
    const ClockOffset& offset = offsets[static_cast<std::size_t>(r)];
    EXPECT_LE(std::abs(offset.ahead - (shift_of(r) - shift_of(0))), offset.error + 1e-9) << "rank " << r;
    EXPECT_LT(offset.error, 0.5);
  }
}

TEST(Clocks, a_shift_is_found_to_within_half_the_round_trip) {
  for (const int ranks : {1, 2, 3, 7}) run_threads(ranks, [](const Comm& comm) { expect_found(comm.transport()); });
}

TEST(Clocks, it_is_found_over_a_transport_that_delays_and_reorders) {
  for (std::uint64_t seed = 1; seed < 6; ++seed)
    run_threads(3, [&](const Comm& comm) { expect_found(chaotic(comm, seed).transport()); });
}

TEST(Clocks, ranks_that_share_a_clock_are_left_as_they_are) {
  run_threads(4, [](const Comm& comm) {
    for (const ClockOffset& offset : clock_offsets(comm.transport())) EXPECT_EQ(offset.ahead, 0);
  });
}

TEST(Clocks, gathered_events_of_shifted_clocks_are_where_they_happened) {
  run_threads(3, [](const Comm& comm) {
    const double happened = steady_seconds() + 0.01 * comm.rank();
    const double seen = happened + shift_of(comm.rank());
    Trace mine{.ranks = 1, .events = {{.rank = comm.rank(), .task = 0, .begin = seen, .end = seen + 1}}};
    std::vector<double> truth(3);
    comm.transport().gather(std::as_bytes(std::span(&happened, 1)), std::as_writable_bytes(std::span(truth)));
    const Trace all = gather(comm, mine, shifted(comm.rank()));
    ASSERT_EQ(all.settings.back().first, "clock error");
    const double error = 1e-6 * std::stod(all.settings.back().second);
    for (const Event& e : all.events)
      EXPECT_NEAR(e.begin - all.events[0].begin, truth[static_cast<std::size_t>(e.rank)] - truth[0], error + 1e-6);
  });
}

TEST(Clocks, what_a_trace_knows_survives_gathering) {
  run_threads(2, [](const Comm& comm) {
    Event event{.rank = comm.rank(), .task = 4, .label = "phase I", .begin = 1, .end = 2, .tag = 9};
    event.polls = 3;
    event.polling = 0.25;
    event.longest_gap = 0.5;
    const Trace mine{.ranks = 1, .events = {event}, .settings = {{"route", "cyclic"}}, .element_bytes = 16};
    const Trace all = gather(comm, mine);
    EXPECT_EQ(all.settings.front(), (std::pair<std::string, std::string>{"route", "cyclic"}));
    EXPECT_EQ(all.settings.size(), 2u);
    EXPECT_EQ(all.element_bytes, 16);
    for (const Event& e : all.events)
      EXPECT_EQ(std::tie(e.tag, e.polls, e.polling, e.longest_gap),
                std::tie(event.tag, event.polls, event.polling, event.longest_gap));
  });
}

}  // namespace
}  // namespace kallima
