// Lines of any length, primes above all, on threads: right answers by way of a convolution.

#include <gtest/gtest.h>

#include "chaos.hpp"
#include "fft_suite.hpp"
#include "kallima/execute.hpp"
#include "sample.hpp"

namespace kallima {
namespace {

FftOptions bluestein(Exchange exchange = Exchange::views, Placement placement = Placement::out_of_place) {
  return {.plan = {.route = "bluestein", .exchange = exchange, .placement = placement}, .effort = Effort::estimate};
}

constexpr int rank_counts[] = {2, 3, 4, 5, 7, 12};

TEST(BluesteinFft, equals_the_definition_for_every_length_to_64) {
  Sample sample(2);
  for (Index n = 2; n <= 64; ++n) {
    const Case c({.shape = {n}});
    for (const int ranks : {2, 3, 7})
      if (sample.takes()) run_threads(ranks, [&](Comm comm) { equals_definition<double>(comm, c, bluestein()); });
  }
}

TEST(BluesteinFft, equals_the_definition_for_primes_and_twice_a_prime) {
  for (const Index n : {101, 503, 2 * 251}) {
    const Case c({.shape = {n}});
    Sample sample(2, n % 2 == 0 ? 0 : 1);
    for (const int ranks : rank_counts) {
      if (!sample.takes()) continue;
      run_threads(ranks, [&](Comm comm) {
        for (const Exchange exchange : {Exchange::views, Exchange::messages})
          for (const Placement placement : {Placement::out_of_place, Placement::in_place})
            equals_definition<double>(comm, c, bluestein(exchange, placement));
        equals_definition<float>(comm, c, bluestein());
        for (const Norm norm : {Norm::ortho, Norm::full}) equals_definition<double>(comm, c, bluestein(), norm);
      });
    }
  }
}

// The definition is no more precise than that either.
TEST(BluesteinFft, equals_the_definition_in_long_double_precision) {
  const double bound = 100 * static_cast<double>(std::numeric_limits<long double>::epsilon());
  const Case c({.shape = {211}});
  for (const int ranks : rank_counts)
    run_threads(ranks, [&](Comm comm) {
      Fft<long double> fft(c.problem, comm, bluestein());
      FieldParts<long double> parts(fft, {c});
      fft.forward(parts.sources[0], parts.targets[0]);
      EXPECT_LT(error(fft.layout_out(), comm.rank(), c.forward, parts.targets[0].data(), 1), bound) << ranks;
      fft.backward(parts.sources[0], parts.targets[0]);
      EXPECT_LT(error(fft.layout_in(), comm.rank(), c.backward, parts.targets[0].data(), 1), bound) << ranks;
    });
}

// An error far below what the bound of the other tests allows.
TEST(BluesteinFft, is_as_accurate_as_other_transforms) {
  const Case c({.shape = {2003}});
  run_threads(4, [&](Comm comm) {
    Fft<double> fft(c.problem, comm, bluestein());
    FieldParts<double> parts(fft, {c});
    fft.forward(parts.sources[0], parts.targets[0]);
    EXPECT_LT(error(fft.layout_out(), comm.rank(), c.forward, parts.targets[0].data(), 1), 1e-15);
  });
}

// The definition takes too long for these; one rank does not.
TEST(BluesteinFft, agrees_with_one_rank_for_longer_lines) {
  for (const Index n : {10007, 2 * 10007}) {
    const std::vector<Exact> x = random_values(n, 3);
    std::vector<std::complex<double>> whole(x.begin(), x.end()), result(whole.size());
    Fft<double>({.shape = {n}}, Comm(), {.effort = Effort::estimate}).forward(whole, result);
    const std::vector<Exact> expected(result.begin(), result.end());
    for (const int ranks : {3, 4, 12})
      run_threads(ranks, [&](Comm comm) {
        Fft<double> fft({.shape = {n}}, comm, bluestein());
        Array<std::complex<double>> in(fft.local_size_in()), out(fft.local_size_out());
        fill(fft.layout_in(), comm.rank(), x, in.data());
        fft.forward(in.span(), out.span());
        EXPECT_LT(error(fft.layout_out(), comm.rank(), expected, out.data(), 1), 2e-15) << n << " on " << ranks;
      });
  }
}

// Two slices and four, of which lines longer than a slice take several turns.
TEST(BluesteinFft, agrees_with_one_rank_slice_by_slice) {
  for (const Index n : {32749, 65537}) {
    const std::vector<Exact> x = random_values(n, 3);
    std::vector<std::complex<double>> whole(x.begin(), x.end()), result(whole.size());
    Fft<double>({.shape = {n}}, Comm(), {.effort = Effort::estimate}).forward(whole, result);
    const std::vector<Exact> expected(result.begin(), result.end());
    const Layout blocks = Layout::blocks({n}, {3}, 3);
    for (const Problem& problem : {Problem{.shape = {n}}, Problem{.shape = {n}, .in = blocks}})
      for (const Exchange exchange : {Exchange::views, Exchange::messages})
        run_threads(3, [&](Comm comm) {
          Fft<double> apart(problem, comm, bluestein(exchange)),
              in_place(problem, comm, bluestein(exchange, Placement::in_place));
          Array<std::complex<double>> in(apart.local_size_in()), out(apart.local_size_out());
          fill(apart.layout_in(), comm.rank(), x, in.data());
          apart.forward(in.span(), out.span());
          EXPECT_LT(error(apart.layout_out(), comm.rank(), expected, out.data(), 1), 2e-15) << n;
          apart.backward(out.span(), in.span(), Norm::full);
          EXPECT_LT(error(apart.layout_in(), comm.rank(), x, in.data(), 1), 2e-15) << n;
          in_place.forward(in.span(), in.span());
          EXPECT_LT(error(in_place.layout_out(), comm.rank(), expected, in.data(), 1), 3e-15) << n;
          in_place.backward(in.span(), in.span(), Norm::full);
          EXPECT_LT(error(in_place.layout_in(), comm.rank(), x, in.data(), 1), 3e-15) << n;
        });
  }
}

TEST(BluesteinFft, equals_the_definition_in_any_layouts) {
  const Index n = 101;
  for (const int ranks : {3, 4}) {
    const Layout blocks = Layout::blocks({n}, {ranks}, ranks), cyclic = Layout::cyclic({n}, {2}, ranks);
    for (const Problem& problem : {Problem{.shape = {n}, .in = blocks},
                                   {.shape = {n}, .in = blocks, .out = cyclic},
                                   {.shape = {n}, .out = blocks},
                                   {.shape = {n}, .output = Output::any, .in = blocks}}) {
      const Case c(problem);
      run_threads(ranks, [&](Comm comm) {
        for (const Exchange exchange : {Exchange::views, Exchange::messages})
          for (const Placement placement : {Placement::out_of_place, Placement::in_place})
            equals_definition<double>(comm, c, bluestein(exchange, placement), Norm::ortho);
      });
    }
  }
}

TEST(BluesteinFft, many_at_once_equal_the_definition) {
  const std::vector<Case> cases = fields({.shape = {103}}, 3);
  run_threads(3, [&](Comm comm) {
    many_equal_the_definition<double>(comm, cases, bluestein());
    rehearsals_leave_no_trace<double>(comm, cases[0], bluestein(Exchange::messages));
  });
}

TEST(BluesteinFft, every_message_order_gives_the_right_answer) {
  const Case c({.shape = {31}});
  Sample sample(3);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    if (!sample.takes()) continue;
    run_threads(4, [&](Comm comm) {
      equals_definition<double>(chaotic(comm, seed), c,
                                bluestein(seed % 2 == 0 ? Exchange::messages : Exchange::views));
    });
  }
}

TEST(BluesteinFft, applies_a_function_to_the_spectrum) {
  const Case c({.shape = {101}});
  run_threads(4, [&](Comm comm) {
    Fft<double> fft(c.problem, comm, bluestein());
    FieldParts<double> parts(fft, {c});
    fft.apply(parts.sources[0], parts.targets[0], [](std::span<const Index>) { return 2.0; });
    EXPECT_LT(error(fft.layout_in(), comm.rank(), c.x, parts.targets[0].data(), 2), tolerance<double>(c.problem));
  });
}

// What is kept is part of the workspace: the chirp's spectrum, at half of the convolution's points if it is in slices.
TEST(BluesteinFft, counts_what_it_keeps_as_workspace) {
  run_threads(4, [&](Comm comm) {
    const Fft<double> fft({.shape = {100003}}, comm, bluestein());
    const RankSchedule schedule = fft.plan().rank_schedule(comm.rank(), Direction::forward);
    EXPECT_GE(schedule.size(Buffer::kept), 100003 / 4);
    EXPECT_LE(schedule.size(Buffer::kept), 3 * 100003 / 2 / 4);
    EXPECT_GE(fft.workspace_bytes(), static_cast<std::size_t>(schedule.workspace()) * sizeof(std::complex<double>));
  });
}

// Four passes of two directions have one table among them.
TEST(BluesteinFft, takes_what_its_schedule_and_kernels_say) {
  run_threads(4, [&](Comm comm) {
    const Fft<double> fft({.shape = {100003}}, comm, bluestein());
    const RankSchedule schedule = fft.plan().rank_schedule(comm.rank(), Direction::forward);
    const KernelSize kernels = kernel_size(schedule, Direction::forward, cpu_backend(Precision::double_));
    const std::size_t buffers = static_cast<std::size_t>(schedule.workspace()) * sizeof(std::complex<double>);
    EXPECT_GT(kernels.tables, 0u);
    EXPECT_EQ(fft.workspace_bytes(), buffers + kernels.tables + kernels.tile);
  });
}

}  // namespace
}  // namespace kallima
