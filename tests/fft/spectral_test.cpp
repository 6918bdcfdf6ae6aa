#include "kallima/spectral.hpp"

#include <gtest/gtest.h>

#include "sample.hpp"
#include "spectral_suite.hpp"

namespace kallima {
namespace {

const FftOptions without_trials{.effort = Effort::estimate};

TEST(Spectral, derivatives_of_a_wave_are_exact) {
  for (const Wave& w : {Wave{{16}, {3}, {5}}, Wave{{9, 12}, {1, 2}, {2, -3}}, Wave{{8, 7, 15}, {2, 1, 3}, {1, -2, 3}}})
    for (const int ranks : {1, 2, 3, 5, 8})
      run_threads(ranks, [&](Comm comm) {
        derivatives_of_a_wave<double, double>(comm, w, without_trials);
        derivatives_of_a_wave<double, std::complex<double>>(comm, w, without_trials);
        derivatives_of_a_wave<float, float>(comm, w, without_trials);
        if (ranks == 2) derivatives_of_a_wave<long double, long double>(comm, w, without_trials);
      });
}

// cos(n/2 x) is all that a grid of n points shows of either sign; its slope is zero at all of them.
TEST(Spectral, odd_derivatives_leave_the_highest_wave_number_out) {
  for (const Data data : {Data::real_, Data::complex_}) {
    Fft<double> fft({.shape = {8}, .data = data}, Comm(), without_trials);
    std::vector<double> x(8), y(8, 1.0);
    std::vector<std::complex<double>> cx(8), cy(8, 1.0);
    for (std::size_t i = 0; i < 8; ++i) cx[i] = x[i] = i % 2 == 0 ? 1 : -1;
    const auto derive = [&](int order) {
      data == Data::real_ ? derivative(fft, x, y, 0, order) : derivative(fft, cx, cy, 0, order);
      return data == Data::real_ ? y[0] : std::abs(cy[0]) * (cy[0].real() < 0 ? -1 : 1);
    };
    EXPECT_NEAR(derive(1), 0, 1e-13);
    EXPECT_NEAR(derive(2), -16, 1e-12);
    EXPECT_NEAR(derive(3), 0, 1e-12);
    EXPECT_NEAR(derive(0), 1, 1e-13);
  }
}

TEST(Spectral, poisson_leaves_the_mean_out) {
  run_threads(3, [&](Comm comm) {
    Fft<double> fft({.shape = {6, 4}, .data = Data::real_}, comm, without_trials);
    std::vector<double> f(static_cast<std::size_t>(fft.local_size_in()), 5.0), u(f.size(), 1.0);
    solve_poisson(fft, f, u);
    for (const double value : u) EXPECT_NEAR(value, 0, 1e-13);
  });
}

TEST(Spectral, wrong_axes_lengths_and_kinds_are_refused) {
  Fft<double> fft({.shape = {6, 4}, .axes = {0}}, Comm(), without_trials);
  std::vector<std::complex<double>> x(24);
  EXPECT_THROW(derivative(fft, x, x, 1), Error);
  EXPECT_THROW(derivative(fft, x, x, 2), Error);
  EXPECT_THROW(derivative(fft, x, x, 0, -1), Error);
  EXPECT_THROW(derivative(fft, x, x, 0, 1, 0.0), Error);
  EXPECT_THROW(laplacian(fft, x, x, {1.0}), Error);
  Fft<double> cosines({.shape = {6}, .data = Data::real_, .kinds = {Kind::dct2}}, Comm(), without_trials);
  std::vector<double> y(6);
  EXPECT_THROW(derivative(cosines, y, y, 0), Error);
  EXPECT_THROW(convolve(cosines, y, y, y), Error);
  EXPECT_THROW(Dealias<double>{cosines}, Error);
}

TEST(Spectral, convolution_and_correlation_equal_the_definition) {
  for (const Shape& shape : {Shape{16}, {15}, {8, 9}, {4, 5, 6}}) {
    const Pair complex_pair(shape, Data::complex_), real_pair(shape, Data::real_);
    for (const int ranks : {1, 2, 3, 5, 8})
      run_threads(ranks, [&](Comm comm) {
        convolves_by_definition<double, std::complex<double>>(comm, complex_pair, without_trials);
        convolves_by_definition<double, double>(comm, real_pair, without_trials);
        convolves_by_definition<float, float>(comm, real_pair, without_trials);
      });
  }
}

// One rank's worth of c[j] = sum a[i] b[j - i] where both exist.
template <class Item>
std::vector<Exact> linear(const Shape& na, const Shape& nb, const std::vector<Exact>& a, const std::vector<Exact>& b) {
  Shape nc = na;
  for (std::size_t k = 0; k < na.size(); ++k) nc[k] += nb[k] - 1;
  std::vector<Exact> c(static_cast<std::size_t>(element_count(nc)), 0);
  const Layout la = Layout::blocks(na, Shape(na.size(), 1), 1), lb = Layout::blocks(nb, Shape(nb.size(), 1), 1);
  for (Index s = 0; s < la.local_size(0); ++s)
    for (Index t = 0; t < lb.local_size(0); ++t) {
      Shape j = la.global_index(0, s);
      for (std::size_t k = 0; k < j.size(); ++k) j[k] += lb.global_index(0, t)[k];
      c[flat(nc, j)] +=
          Exact(as<Item>(a[static_cast<std::size_t>(s)])) * Exact(as<Item>(b[static_cast<std::size_t>(t)]));
    }
  return c;
}

template <class Item>
void convolves_linearly(const Comm& comm, const Shape& na, const Shape& nb) {
  Shape nc = na, grid(na.size(), 1);
  for (std::size_t k = 0; k < na.size(); ++k) nc[k] += nb[k] - 1;
  grid[0] = comm.size();
  const Layout la = Layout::cyclic(na, grid, comm.size()), lb = Layout::blocks(nb, grid, comm.size());
  const Layout lc = Layout::blocks(nc, grid, comm.size());
  const std::vector<Exact> a = random_values(element_count(na), 5), b = random_values(element_count(nb), 6);
  const Data data = std::is_floating_point_v<Item> ? Data::real_ : Data::complex_;
  LinearConvolution<double> convolution(la, lb, lc, data, comm, without_trials);
  std::vector<Item> c(static_cast<std::size_t>(lc.local_size(comm.rank())));
  const std::vector<Item> mine_a = part_of_all<Item>(la, comm.rank(), a),
                          mine_b = part_of_all<Item>(lb, comm.rank(), b);
  convolution.run(mine_a, mine_b, c);
  EXPECT_LT(distance(c, part_of_all<Item>(lc, comm.rank(), linear<Item>(na, nb, a, b))), 1e-13) << text(na);
}

TEST(Spectral, linear_convolution_does_not_come_around) {
  for (const auto& [na, nb] : {std::pair<Shape, Shape>{{13}, {5}}, {{7, 6}, {3, 9}}, {{5, 4, 6}, {4, 2, 3}}})
    for (const int ranks : {1, 2, 3, 5, 8})
      run_threads(ranks, [&](Comm comm) {
        convolves_linearly<double>(comm, na, nb);
        convolves_linearly<std::complex<double>>(comm, na, nb);
      });
}

// Coefficients of a field for wave numbers below n/2 along every axis; of a real one, with their conjugates opposite.
std::vector<Exact> coefficients(const Problem& problem, unsigned seed) {
  const Shape& n = problem.shape;
  std::vector<Exact> c = random_values(element_count(n), seed);
  const Layout all = Layout::blocks(n, Shape(n.size(), 1), 1);
  for (Index t = 0; t < all.local_size(0); ++t) {
    Shape j = all.global_index(0, t);
    Exact& mine = c[static_cast<std::size_t>(t)];
    for (std::size_t k = 0; k < n.size(); ++k) {
      if (2 * j[k] == n[k]) mine = 0;
      j[k] = (n[k] - j[k]) % n[k];
    }
    if (problem.data == Data::complex_) continue;
    const std::size_t opposite = flat(n, j);
    c[opposite] = std::conj(mine);
    if (opposite == static_cast<std::size_t>(t)) mine = mine.real();
  }
  return c;
}

// Sum over p + q = k of u_p v_q, as wave numbers and not modulo n, for all |k| < n/2.
std::vector<Exact> truncated_product(const Problem& problem, const std::vector<Exact>& u, const std::vector<Exact>& v) {
  const Shape& n = problem.shape;
  const Layout all = Layout::blocks(n, Shape(n.size(), 1), 1);
  const auto number = [&](std::size_t k, Index j) { return j > n[k] / 2 ? j - n[k] : j; };
  std::vector<Exact> w(u.size(), 0);
  for (Index s = 0; s < all.local_size(0); ++s)
    for (Index t = 0; t < all.local_size(0); ++t) {
      const Shape p = all.global_index(0, s), q = all.global_index(0, t);
      Shape j(n.size());
      bool inside = true;
      for (std::size_t k = 0; k < n.size(); ++k) {
        const Index sum = number(k, p[k]) + number(k, q[k]);
        inside = inside && 2 * std::abs(sum) < n[k];
        j[k] = (sum + n[k]) % n[k];
      }
      if (inside) w[flat(n, j)] += u[static_cast<std::size_t>(s)] * v[static_cast<std::size_t>(t)];
    }
  return w;
}

// This rank's part of the half or the whole of a spectrum, unscaled.
template <class T>
std::vector<std::complex<T>> spectrum_part(const Fft<T>& fft, const std::vector<Exact>& c) {
  const Layout layout = fft.layout_out();
  std::vector<std::complex<T>> mine;
  const auto points = static_cast<long double>(transformed_count(fft.plan().problem()));
  for (Index t = 0; t < fft.local_size_out(); ++t)
    mine.push_back(
        as<std::complex<T>>(points * c[flat(fft.layout_in().shape(), layout.global_index(fft.comm().rank(), t))]));
  return mine;
}

template <class T, class Item>
void products_are_not_aliased(const Comm& comm, const Problem& problem, const std::vector<Exact>& u,
                              const std::vector<Exact>& v, const std::vector<Exact>& w) {
  Fft<T> fft(problem, comm, without_trials);
  Dealias<T> dealias(fft, {}, without_trials);
  std::vector<std::complex<T>> first = spectrum_part(fft, u), second = spectrum_part(fft, v);
  std::vector<Item> x(static_cast<std::size_t>(dealias.grid().local_size_in())), y(x.size());
  dealias.to_physical(first, x);
  dealias.to_physical(second, y);
  for (std::size_t t = 0; t < x.size(); ++t) y[t] *= x[t];
  dealias.to_spectral(y, second);
  const double points = static_cast<double>(element_count(problem.shape));
  const double limit = 40 * points * static_cast<double>(std::numeric_limits<T>::epsilon());
  EXPECT_LT(distance(second, spectrum_part(fft, w)) / points, limit) << text(problem.shape) << " on " << comm.size();
  dealias.to_spectral(x, second);
  EXPECT_LT(distance(second, first) / points, limit) << "there and back, " << text(problem.shape);
}

TEST(Spectral, a_product_on_the_finer_grid_is_the_exact_one_truncated) {
  Sample sample(2);
  for (const Shape& shape : {Shape{16}, {15}, {8, 9}, {1, 6}, {4, 6, 5}, {5, 4, 6}})
    for (const Data data : {Data::complex_, Data::real_})
      for (const Output output : {Output::same, Output::any}) {
        const Problem problem = checked({.shape = shape, .output = output, .data = data});
        const std::vector<Exact> u = coefficients(problem, 8), v = coefficients(problem, 9);
        const std::vector<Exact> w = truncated_product(problem, u, v);
        for (const int ranks : {1, 2, 3, 5, 8}) {
          if (!sample.takes()) continue;
          run_threads(ranks, [&](Comm comm) {
            if (data == Data::real_) {
              products_are_not_aliased<double, double>(comm, problem, u, v, w);
              products_are_not_aliased<float, float>(comm, problem, u, v, w);
            } else {
              products_are_not_aliased<double, std::complex<double>>(comm, problem, u, v, w);
            }
          });
        }
      }
}

TEST(Spectral, padding_drops_the_highest_wave_number_and_a_grid_of_equal_extent_keeps_it) {
  Fft<double> fft({.shape = {4, 4}}, Comm(), without_trials);
  Dealias<double> dealias(fft, {6, 4}, without_trials);
  std::vector<std::complex<double>> small(16, 1.0), large(24, 9.0);
  dealias.pad_spectrum(small, large);
  for (std::size_t j = 0; j < 6; ++j)
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(large[j * 4 + k], j < 2 || j == 5 ? 1.0 : 0.0) << j << " " << k;
  dealias.truncate_spectrum(large, small);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(small[j * 4 + 2], j == 2 ? 0.0 : 1.0) << j;
  EXPECT_THROW(Dealias<double>(fft, {3, 4}, without_trials), Error);
  EXPECT_THROW(Dealias<double>(fft, {6}, without_trials), Error);
}

}  // namespace
}  // namespace kallima
