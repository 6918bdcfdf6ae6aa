// Lines of reals of any length, and half their spectrum or their cosines and sines, by way of a convolution, on threads.

#include <gtest/gtest.h>

#include "chaos.hpp"
#include "real_suite.hpp"
#include "sample.hpp"

namespace kallima {
namespace {

FftOptions by_chirp(Exchange exchange = Exchange::views, Placement placement = Placement::out_of_place) {
  return {.plan = {.route = "bluestein", .exchange = exchange, .placement = placement}, .effort = Effort::estimate};
}

Problem real_line(Index n) { return {.shape = {n}, .data = Data::real_}; }

constexpr int real_rank_counts[] = {2, 3, 4, 5, 6, 7, 12};

// More ranks than points among them.
TEST(BluesteinReals, equal_the_definition_for_every_length_to_64) {
  Sample sample(5);
  for (Index n = 2; n <= 64; ++n) {
    const RealLine line(real_line(n));
    for (const int ranks : {2, 3, 7, 12})
      if (sample.takes())
        run_threads(ranks, [&](Comm comm) { reals_equal_definition<double>(comm, line, by_chirp()); });
  }
}

TEST(BluesteinReals, equal_the_definition_for_primes_and_twice_a_prime) {
  Sample sample(5);
  for (const Index n : {2, 13, 101, 503, 2 * 251}) {
    const RealLine line(real_line(n));
    for (const int ranks : real_rank_counts) {
      if (!sample.takes()) continue;
      run_threads(ranks, [&](Comm comm) {
        for (const Exchange exchange : {Exchange::views, Exchange::messages})
          for (const Placement placement : {Placement::out_of_place, Placement::in_place})
            reals_equal_definition<double>(comm, line, by_chirp(exchange, placement));
        reals_equal_definition<float>(comm, line, by_chirp());
        for (const Norm norm : {Norm::ortho, Norm::full}) reals_equal_definition<double>(comm, line, by_chirp(), norm);
      });
    }
  }
}

TEST(BluesteinReals, equal_the_definition_in_long_double_precision) {
  for (const Index n : {101, 202}) {
    const RealLine line(real_line(n));
    for (const int ranks : {2, 5})
      run_threads(ranks, [&](Comm comm) { reals_equal_definition<long double>(comm, line, by_chirp()); });
  }
}

TEST(BluesteinReals, equal_the_definition_in_any_layouts) {
  Sample sample(3);
  for (const Index n : {7, 101, 202})
    for (const int ranks : {3, 4}) {
      const Index half = n / 2 + 1;
      const Layout blocks = Layout::blocks({n}, {ranks}, ranks), few = Layout::cyclic({half}, {2}, ranks),
                   halves = Layout::blocks({half}, {ranks}, ranks);
      Problem any = real_line(n), other = any, out = any, free = any;
      any.in = other.in = free.in = blocks;
      other.out = few;
      out.out = halves;
      free.output = Output::any;
      for (const Problem& problem : {any, other, out, free}) {
        if (!sample.takes()) continue;
        const RealLine line(problem);
        run_threads(ranks, [&](Comm comm) {
          for (const Exchange exchange : {Exchange::views, Exchange::messages})
            for (const Placement placement : {Placement::out_of_place, Placement::in_place})
              reals_equal_definition<double>(comm, line, by_chirp(exchange, placement), Norm::ortho);
        });
      }
    }
}

constexpr Kind cosines_and_sines[] = {Kind::dct1, Kind::dct2, Kind::dct3, Kind::dct4,
                                      Kind::dst1, Kind::dst2, Kind::dst3, Kind::dst4};

// More ranks than points among them.
TEST(BluesteinCosines, equal_the_definition_for_every_kind) {
  Sample sample(5);
  for (const Kind kind : cosines_and_sines)
    for (const Index n : {2, 3, 12, 101}) {
      const RealLine line({.shape = {n}, .data = Data::real_, .kinds = {kind}});
      for (const int ranks : real_rank_counts) {
        if (!sample.takes()) continue;
        run_threads(ranks, [&](Comm comm) {
          for (const Exchange exchange : {Exchange::views, Exchange::messages})
            for (const Placement placement : {Placement::out_of_place, Placement::in_place})
              reals_equal_definition<double>(comm, line, by_chirp(exchange, placement));
          reals_equal_definition<float>(comm, line, by_chirp(), Norm::ortho);
          reals_equal_definition<long double>(comm, line, by_chirp());
        });
      }
    }
}

TEST(BluesteinCosines, equal_the_definition_in_any_layouts) {
  Sample sample(3);
  for (const Kind kind : cosines_and_sines)
    for (const int ranks : {3, 4}) {
      Problem blocks{.shape = {101}, .data = Data::real_, .kinds = {kind}, .in = Layout::blocks({101}, {ranks}, ranks)};
      Problem out = blocks;
      out.out = Layout::cyclic({101}, {2}, ranks);
      for (const Problem& problem : {blocks, out}) {
        if (!sample.takes()) continue;
        const RealLine line(problem);
        run_threads(ranks, [&](Comm comm) {
          reals_equal_definition<double>(comm, line, by_chirp(Exchange::messages), Norm::ortho);
          reals_equal_definition<double>(comm, line, by_chirp(Exchange::views, Placement::in_place));
        });
      }
    }
}

// As FFTW and NumPy do, even where they are no numbers.
TEST(BluesteinReals, imaginary_parts_that_no_spectrum_of_reals_has_are_not_looked_at) {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  for (const Index n : {101, 202}) {
    const RealLine line(real_line(n));
    std::vector<Exact> half = line.spectrum;
    half[0] = {half[0].real(), nothing};
    if (n % 2 == 0) half.back() = {half.back().real(), nothing};
    run_threads(4, [&](Comm comm) {
      Fft<double> fft(line.problem, comm, by_chirp());
      const std::vector<std::complex<double>> in = part_of<std::complex<double>>(half, fft.layout_out(), comm.rank());
      std::vector<double> out(static_cast<std::size_t>(fft.local_size_in()));
      fft.backward(in, out);
      EXPECT_LT(line_error<double>(line.backward, fft.layout_in(), comm.rank(), out, 1), 1e-14) << n;
    });
  }
}

// The definition takes too long for these; one rank does not.
TEST(BluesteinReals, agree_with_one_rank_for_longer_lines) {
  for (const Index n : {10007, 2 * 10007, 65537}) {
    std::vector<double> whole;
    for (const Exact& x : random_values(n, 3)) whole.push_back(static_cast<double>(x.real()));
    std::vector<std::complex<double>> result(static_cast<std::size_t>(n / 2 + 1));
    Fft<double>(real_line(n), Comm(), {.effort = Effort::estimate}).forward(whole, result);
    const std::vector<Exact> x(whole.begin(), whole.end()), expected(result.begin(), result.end());
    for (const int ranks : {3, 4, 12})
      run_threads(ranks, [&](Comm comm) {
        Fft<double> fft(real_line(n), comm, by_chirp());
        std::vector<double> in = part_of<double>(x, fft.layout_in(), comm.rank()), back(in.size());
        std::vector<std::complex<double>> out(static_cast<std::size_t>(fft.local_size_out()));
        fft.forward(in, out);
        EXPECT_LT(line_error<std::complex<double>>(expected, fft.layout_out(), comm.rank(), out, 1), 2e-15) << n;
        fft.backward(out, back, Norm::full);
        EXPECT_LT(line_error<double>(x, fft.layout_in(), comm.rank(), back, 1), 2e-15) << n;
      });
  }
}

// In four slices, of which some need powers of their points, and lines of which some of the last points count half.
TEST(BluesteinCosines, agree_with_one_rank_for_longer_lines) {
  const Index n = 32768;
  for (const Kind kind : cosines_and_sines) {
    const Problem line{.shape = {n}, .data = Data::real_, .kinds = {kind}};
    std::vector<double> whole, result(at(n));
    for (const Exact& x : random_values(n, 3)) whole.push_back(static_cast<double>(x.real()));
    Fft<double>(line, Comm(), {.effort = Effort::estimate}).forward(whole, result);
    const std::vector<Exact> x(whole.begin(), whole.end()), expected(result.begin(), result.end());
    run_threads(2, [&](Comm comm) {
      Fft<double> fft(line, comm, by_chirp());
      EXPECT_EQ(fft.plan().exchanges(), 8);
      std::vector<double> in = part_of<double>(x, fft.layout_in(), comm.rank()), out(in.size());
      fft.forward(in, out);
      EXPECT_LT(line_error<double>(expected, fft.layout_out(), comm.rank(), out, 1), 2e-15);
      fft.backward(out, in, Norm::full);
      EXPECT_LT(line_error<double>(x, fft.layout_in(), comm.rank(), in, 1), 2e-15);
    });
  }
}

TEST(BluesteinReals, every_message_order_gives_the_right_answer) {
  const RealLine line(real_line(31));
  Sample sample(3);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    if (!sample.takes()) continue;
    run_threads(4, [&](Comm comm) {
      reals_equal_definition<double>(chaotic(comm, seed), line,
                                     by_chirp(seed % 2 == 0 ? Exchange::messages : Exchange::views));
    });
  }
}

TEST(BluesteinReals, apply_a_function_to_the_spectrum) {
  const RealLine line(real_line(101));
  run_threads(4, [&](Comm comm) {
    Fft<double> fft(line.problem, comm, by_chirp());
    std::vector<double> in = part_of<double>(line.reals, fft.layout_in(), comm.rank()), out(in.size());
    fft.apply(in, out, [](std::span<const Index>) { return 2.0; });
    EXPECT_LT(line_error<double>(line.reals, fft.layout_in(), comm.rank(), out, 2), tolerance<double>(line.problem));
  });
}

}  // namespace
}  // namespace kallima
