#include "kallima/wire.hpp"

#include <gtest/gtest.h>

#include "chaos.hpp"
#include "sample.hpp"
#include "wire_suite.hpp"

namespace kallima {
namespace {

using Format = Wire::Format;

FftOptions with(Wire wire, PlanOptions plan = {}) {
  return {.plan = std::move(plan), .effort = Effort::estimate, .wire = wire};
}

TEST(FftWire, every_format_keeps_its_promise_on_every_route) {
  const Case c({.shape = {36, 25, 4}}), flat({.shape = {30, 30}});
  for (const Wire& wire : {Wire{Format::single}, Wire{Format::shared_exponent, 2}, Wire{Format::shared_exponent, 17},
                           Wire{Format::shared_exponent, 52}, Wire{.tolerance = 1e-5}})
    for (const char* route : {"auto", "slab"})
      for (const int ranks : {2, 3, 5})
        run_threads(ranks, [&](Comm comm) {
          wire_keeps_its_promise<double>(comm, c, with(wire, {.route = route}));
          wire_keeps_its_promise<float>(comm, flat, with(wire, {.route = route}));
        });
}

TEST(FftWire, single_halves_the_bytes_exactly) {
  const Case c({.shape = {36, 25}});
  for (const int ranks : {2, 3, 5})
    run_threads(ranks, [&](Comm comm) {
      const WireReport report = wire_keeps_its_promise<double>(comm, c, with({Format::single}));
      EXPECT_GT(report.bytes_plain, 0);
      EXPECT_EQ(2 * report.bytes_sent, report.bytes_plain);
      EXPECT_GT(report.error, 1e-9);
      EXPECT_LT(report.error, 6e-8);
    });
}

// In messages of 8192 reals, which are encoded in parts.
TEST(FftWire, fewer_bits_are_fewer_bytes_and_a_larger_error) {
  const Case c({.shape = {128, 128}});
  run_threads(2, [&](Comm comm) {
    WireReport before{.bytes_plain = 0, .bytes_sent = 0, .error = 10};
    for (int bits = 4; bits <= 52; bits += 6) {
      const WireReport report =
          wire_keeps_its_promise<double>(comm, c, with({Format::shared_exponent, bits}, {.overlap = Overlap::off}));
      EXPECT_GT(report.bytes_sent, before.bytes_sent);
      EXPECT_NEAR(static_cast<double>(report.bytes_sent) / static_cast<double>(report.bytes_plain), (bits + 0.5) / 64,
                  1e-3);
      EXPECT_LT(report.error, before.error / 32);
      before = report;
    }
  });
}

TEST(FftWire, same_and_single_of_floats_change_no_bit) {
  const Case c({.shape = {36, 10}});
  run_threads(3, [&](Comm comm) {
    Fft<float> fft(c.problem, comm, {.effort = Effort::estimate}), same(c.problem, comm, with({})),
        single(c.problem, comm, with({Format::single}));
    const std::vector<Case> cases{c};
    FieldParts<float> a(fft, cases), b(same, cases), s(single, cases);
    fft.forward(a.sources[0], a.targets[0]);
    same.forward(b.sources[0], b.targets[0]);
    single.forward(s.sources[0], s.targets[0]);
    EXPECT_TRUE(std::equal(a.targets[0].begin(), a.targets[0].end(), b.targets[0].begin()));
    EXPECT_TRUE(std::equal(a.targets[0].begin(), a.targets[0].end(), s.targets[0].begin()));
    EXPECT_EQ(single.plan().options().exchange, Exchange::views) << "nothing is to be encoded";
    const WireReport report = single.wire_report();
    EXPECT_EQ(report.choice.wire, Wire{});
    EXPECT_NE(text(report).find("single would not be shorter"), std::string::npos) << text(report);
    EXPECT_EQ(same.wire_report().choice.reason, "");
  });
}

TEST(FftWire, many_at_once_are_encoded_alike) {
  const std::vector<Case> cases = fields({.shape = {64, 6}}, 3);
  for (const Wire& wire : {Wire{Format::single}, Wire{Format::shared_exponent, 20}})
    run_threads(4, [&](Comm comm) { wire_is_the_same_for_many<double>(comm, cases, with(wire)); });
}

TEST(FftWire, messages_may_come_in_any_order_and_be_relayed) {
  const Case c({.shape = {64, 6}});
  Sample sample(5);  // what is done with a seed comes again after twelve of them
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    if (!sample.takes()) continue;
    run_threads(4, [&](Comm comm) {
      const Alltoall how = seed % 2 == 0 ? Alltoall::bruck : Alltoall::automatic;
      const Placement placement = seed % 3 == 0 ? Placement::in_place : Placement::out_of_place;
      wire_keeps_its_promise<double>(chaotic(comm, seed), c,
                                     with({Format::shared_exponent, 30}, {.route = "cyclic",
                                                                          .chunks = static_cast<Index>(1 + seed % 4),
                                                                          .placement = placement,
                                                                          .alltoall = how}));
    });
  }
}

TEST(FftWire, the_planners_trials_and_rehearsals_are_not_counted) {
  const Case c({.shape = {36, 10}});
  run_threads(3, [&](Comm comm) {
    const FftOptions tried{.effort = Effort::measure, .wire = {Format::single}};
    Fft<double> fft(c.problem, comm, tried);
    EXPECT_EQ(fft.wire_report().bytes_sent, 0);
    FieldParts<double> parts(fft, {c});
    for (const Only part : {Only::computation, Only::communication})
      fft.rehearse(part, parts.sources[0], parts.targets[0]);
    EXPECT_EQ(fft.wire_report().bytes_sent, 0);
    wire_keeps_its_promise<double>(comm, c, tried);
  });
}

TEST(FftWire, a_number_beyond_single_is_reported_and_harmless_to_a_shared_exponent) {
  run_threads(2, [&](Comm comm) {
    for (const Wire& wire : {Wire{Format::single}, Wire{Format::shared_exponent, 40}}) {
      Fft<double> fft({.shape = {64}}, comm, with(wire));
      std::vector<std::complex<double>> x(32, 1e300), y(32);
      fft.forward(x, y);
      const double seen = fft.wire_report().error;
      EXPECT_EQ(std::isinf(seen), wire.format == Format::single) << seen;
    }
  });
}

TEST(FftWire, nonsense_and_disagreement_fail_on_every_rank) {
  std::atomic<int> failed = 0;
  run_threads(3, [&](Comm comm) {
    const bool first = comm.rank() == 0;
    for (const Wire& wire :
         {Wire{Format::shared_exponent, 60}, Wire{.tolerance = -1}, Wire{first ? Format::single : Format::same},
          Wire{Format::shared_exponent, first ? 20 : 21}})
      try {
        Fft<double> fft({.shape = {36}}, comm, with(wire));
      } catch (const Error&) {
        ++failed;
      }
  });
  EXPECT_EQ(failed, 12);
}

TEST(FftWire, traces_count_the_bytes_that_travelled_and_the_encoding_as_copying) {
  run_threads(2, [&](Comm comm) {
    Fft<double> fft({.shape = {64, 64}}, comm, with({Format::single}, {.route = "cyclic"}));
    std::vector<std::complex<double>> x(static_cast<std::size_t>(fft.local_size_in()), 1.0), y(x.size());
    Trace trace;
    fft.record(&trace);
    fft.forward(x, y);
    fft.record(nullptr);
    Index sent = 0;
    for (const Event& e : trace.events)
      if (e.task >= 0 && e.kind == TaskKind::send_start) sent += e.elements * trace.element_bytes;
    EXPECT_EQ(sent, 64 * 64 / 4 * 16 / 2);
    EXPECT_GT(rank_times(trace, comm.rank()).copying, 0);
  });
}

}  // namespace
}  // namespace kallima
