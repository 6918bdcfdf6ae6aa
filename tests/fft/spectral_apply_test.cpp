// Fft::apply against the definition: transform, multiply, transform back, in long double on one rank.

#include <gtest/gtest.h>

#include <atomic>

#include "must_apply.hpp"
#include "sample.hpp"
#include "spectral_suite.hpp"

namespace kallima {
namespace {

using Numbers = std::span<const Index>;

// Its own conjugate at the opposite wave number, as real data need: the odd part is zero at the highest of an even n.
Exact factor(const Problem& problem, Numbers k) {
  long double even = 1, odd = 0;
  for (const int axis : problem.axes) {
    const auto d = static_cast<std::size_t>(axis);
    even += static_cast<long double>((axis + 1) * k[d] * k[d]);
    if (2 * k[d] != problem.shape[d]) odd += 0.1L * static_cast<long double>((axis + 2) * k[d]);
  }
  return {1 / even, odd};
}

struct Filtered {
  explicit Filtered(const Problem& asked) : problem(checked(asked)), x(random_values(element_count(problem.shape), 7)) {
    if (problem.data == Data::real_)
      for (Exact& value : x) value = value.real();
    Problem whole = problem;
    whole.data = Data::complex_;
    y = reference_dft(whole, x, Direction::forward);
    const WaveNumbers numbers(whole, Layout::blocks(whole.shape, Shape(whole.shape.size(), 1), 1), 0);
    numbers.for_each_line(std::span(y), 0, [&](const SpectrumLine<Exact>& line) {
      Shape scratch;
      detail::multiply_by([&](Numbers k) { return factor(problem, k); }, line, scratch);
    });
    y = reference_dft(whole, y, Direction::backward);
    for (Exact& value : y) value /= static_cast<long double>(transformed_count(problem));
  }
  Problem problem;
  std::vector<Exact> x, y;
};

template <class T, class Item>
void apply_multiplies(const Comm& comm, const Filtered& c, const FftOptions& options) {
  Fft<T> fft(c.problem, comm, options);
  const Layout layout = fft.layout_in();
  const std::vector<Item> x = part_of_all<Item>(layout, comm.rank(), c.x);
  const std::vector<Item> expected = part_of_all<Item>(layout, comm.rank(), c.y);
  const double limit = 40 * static_cast<double>(std::numeric_limits<T>::epsilon());
  const auto f = [&](Numbers k) { return as<std::complex<T>>(factor(c.problem, k)); };
  const auto in_lines = [&](const SpectrumLine<std::complex<T>>& line) {
    Shape scratch;
    detail::multiply_by(f, line, scratch);
  };
  const auto what = text(c.problem.shape) + " on " + std::to_string(comm.size()) + ", " + fft.plan().explanation();
  for (int again = 0; again < 2; ++again) {
    std::vector<Item> in = x, out(x.size());
    fft.apply(in, out, f);
    EXPECT_LT(distance(out, expected), limit) << what;
    EXPECT_EQ(in, x) << "the input was written to, " << what;
    fft.apply(in, in, in_lines);
    EXPECT_LT(distance(in, expected), limit) << "in place, " << what;
  }
  // A spectrum in an order of its own has no place for factors, nor has a route that keeps something for itself.
  if (fft.plan().preparation(comm.rank()) || !fft.plan().problem().storage_out.is_plain()) return;
  std::vector<std::complex<T>> factors(static_cast<std::size_t>(fft.local_size_out()), std::complex<T>(1));
  const WaveNumbers numbers(checked(c.problem), fft.layout_out(), comm.rank());
  numbers.for_each_line(std::span(factors), 0, in_lines);
  std::vector<Item> in = x, out(x.size());
  fft.apply_factors(in, out, factors);
  EXPECT_LT(distance(out, expected), limit) << "factors, " << what;
  fft.apply_factors(in, in, factors);
  EXPECT_LT(distance(in, expected), limit) << "factors, in place, " << what;
}

void apply_multiplies_on(const Problem& problem, const std::vector<int>& rank_counts, const FftOptions& options) {
  const Filtered c(problem);
  for (const int ranks : rank_counts)
    run_threads(ranks, [&](Comm comm) {
      if (problem.data == Data::real_) {
        apply_multiplies<double, double>(comm, c, options);
        apply_multiplies<float, float>(comm, c, options);
      } else {
        apply_multiplies<double, std::complex<double>>(comm, c, options);
        apply_multiplies<float, std::complex<float>>(comm, c, options);
      }
    });
}

TEST(Apply, is_a_product_in_the_spectrum_for_many_shapes_and_rank_counts) {
  Sample sample(3);
  for (const Shape& shape :
       {Shape{24}, {15}, {64}, {16, 9}, {7, 5, 9}, {8, 6, 10}, {16, 4, 6}, {1, 4, 1}, {4, 3, 2, 5}})
    for (const Data data : {Data::complex_, Data::real_})
      for (const Output output : {Output::same, Output::any})
        for (const int ranks : {1, 2, 3, 5, 8})
          if (sample.takes())
            apply_multiplies_on({.shape = shape, .output = output, .data = data}, {ranks},
                                {.effort = Effort::estimate});
}

TEST(Apply, works_by_every_route_with_views_and_with_messages) {
  const Problem problem{.shape = {16, 36, 4}};
  Sample sample(5);
  for (const auto& [route, summary] : route_names())
    for (const Exchange exchange : {Exchange::views, Exchange::messages})
      for (const Placement placement : {Placement::out_of_place, Placement::in_place})
        for (const int ranks : {2, 4}) {
          const PlanOptions options{.route = route, .chunks = 2, .exchange = exchange, .placement = placement};
          if (!sample.takes() || !plan_unless_excused(problem, ranks, options)) continue;
          apply_multiplies_on(problem, {ranks}, {.plan = options, .effort = Effort::estimate});
        }
}

TEST(Apply, leaves_axes_alone_that_are_not_transformed) {
  for (const std::vector<int>& axes : {std::vector<int>{0}, {1}, {2}, {0, 2}})
    for (const Data data : {Data::complex_, Data::real_})
      apply_multiplies_on({.shape = {8, 6, 9}, .axes = axes, .data = data}, {1, 2, 3}, {.effort = Effort::estimate});
}

TEST(Apply, sees_each_element_of_the_spectrum_once) {
  for (const Data data : {Data::complex_, Data::real_})
    for (const int ranks : {1, 3, 4}) {
      std::vector<std::atomic<int>> seen(16 * 9 * 5);
      run_threads(ranks, [&](Comm comm) {
        Fft<double> fft({.shape = {16, 9, 5}, .data = data}, comm, {.effort = Effort::estimate});
        const auto count = [&](Numbers k) {
          ++seen[static_cast<std::size_t>(((k[0] + 16) % 16 * 9 + (k[1] + 9) % 9) * 5 + (k[2] + 5) % 5)];
          return 1.0;
        };
        std::vector<double> reals(data == Data::real_ ? static_cast<std::size_t>(fft.local_size_in()) : 0);
        std::vector<std::complex<double>> both(reals.empty() ? static_cast<std::size_t>(fft.local_size_in()) : 0);
        data == Data::real_ ? fft.apply(reals, reals, count) : fft.apply(both, both, count);
      });
      for (std::size_t i = 0; i < seen.size(); ++i) {
        const bool there = data == Data::complex_ || i % 5 <= 2;
        EXPECT_EQ(seen[i], there ? 1 : 0) << i;
      }
    }
}

TEST(Apply, cosine_and_sine_modes_have_their_numbers) {
  const Problem problem = checked({.shape = {8, 6}, .data = Data::real_, .kinds = {Kind::dct2, Kind::dst1}});
  EXPECT_EQ(wave_number(problem, 0, 0), 0);
  EXPECT_EQ(wave_number(problem, 1, 0), 1);
  run_threads(3, [&](Comm comm) {
    Fft<double> fft(problem, comm, {.effort = Effort::estimate});
    const Layout layout = fft.layout_in();
    std::vector<double> x, expected;
    const double pi = std::numbers::pi;
    for (Index t = 0; t < fft.local_size_in(); ++t) {
      const Shape j = layout.global_index(comm.rank(), t);
      x.push_back(std::cos(pi * 3 * (static_cast<double>(j[0]) + 0.5) / 8) *
                  std::sin(pi * 2 * static_cast<double>(j[1] + 1) / 7));
      expected.push_back(302 * x.back());
    }
    fft.apply(x, x, [](Numbers k) { return static_cast<double>(100 * k[0] + k[1]); });
    EXPECT_LT(distance(x, expected), 1e-12);
    fft.apply(x, x, [](const SpectrumLine<double>& line) {
      for (double& value : line.values) value /= 302;
    });
    for (double& value : expected) value /= 302;
    EXPECT_LT(distance(x, expected), 1e-12);
    const auto complex_lines = [](const SpectrumLine<std::complex<double>>&) {};
    EXPECT_THROW(fft.apply(x, x, complex_lines), Error);
  });
}

TEST(Apply, scales_as_asked) {
  Fft<double> fft({.shape = {4, 3}}, Comm(), {.effort = Effort::estimate});
  std::vector<std::complex<double>> x(12, 1.0), y(12);
  const auto one = [](Numbers) { return 1.0; };
  fft.apply(x, y, one);
  EXPECT_NEAR(y[5].real(), 1, 1e-14);
  fft.apply(x, y, one, Norm::none);
  EXPECT_NEAR(y[5].real(), 12, 1e-13);
}

TEST(Apply, refuses_arrays_that_do_not_fit) {
  Fft<double> fft({.shape = {12}}, Comm(), {.effort = Effort::estimate});
  std::vector<std::complex<double>> x(12), y(11);
  std::vector<double> reals(12);
  const auto one = [](Numbers) { return 1.0; };
  EXPECT_THROW(fft.apply(x, y, one), Error);
  EXPECT_THROW(fft.apply(reals, reals, one), Error);
}

TEST(Apply, does_not_care_how_the_caller_stores_the_spectrum) {
  for (const Data data : {Data::complex_, Data::real_}) {
    Problem problem{.shape = {8, 6, 4}, .data = data};
    problem.storage_out = {.order = {2, 0, 1}, .padding = {0, 3, 0}};
    apply_multiplies_on(problem, {1, 2, 3}, {.effort = Effort::estimate});
  }
}

TEST(Apply, a_function_that_throws_leaves_the_fft_usable) {
  Fft<double> fft({.shape = {6, 5}}, Comm(), {.effort = Effort::estimate});
  std::vector<std::complex<double>> x(30, 1.0), y(30);
  const auto fails = [](Numbers) -> double { throw std::runtime_error("no"); };
  EXPECT_THROW(fft.apply(x, y, fails), std::runtime_error);
  fft.apply(x, y, [](Numbers) { return 2.0; });
  EXPECT_NEAR(y[7].real(), 2, 1e-14);
}

TEST(Apply, works_in_long_double) {
  const Filtered c({.shape = {6, 9}});
  run_threads(2, [&](Comm comm) {
    apply_multiplies<long double, std::complex<long double>>(comm, c, {.effort = Effort::estimate});
  });
}

}  // namespace
}  // namespace kallima
