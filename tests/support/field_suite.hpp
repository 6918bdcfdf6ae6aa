#pragma once
// Claims about reductions and fields that hold on every transport: each function is called by all ranks of a
// communicator.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "kallima/field.hpp"

namespace kallima {

inline void reductions_are_over_all_ranks(const Comm& comm) {
  const int p = comm.size(), r = comm.rank();
  EXPECT_EQ(comm.sum(r + 1), p * (p + 1) / 2);
  EXPECT_EQ(comm.max(r), p - 1);
  EXPECT_EQ(comm.min(Index{5} - r), Index{5} - (p - 1));
  EXPECT_EQ(comm.sum(std::complex<double>(1, r)), std::complex<double>(p, p * (p - 1) / 2));
  std::vector<double> values(10000);  // several messages
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) + r;
  std::vector<double> highest = values, lowest = values;
  comm.sum(values);
  comm.max(highest);
  comm.min(lowest);
  for (const std::size_t i : {std::size_t{0}, std::size_t{4095}, std::size_t{4096}, std::size_t{9999}}) {
    EXPECT_EQ(values[i], p * static_cast<double>(i) + p * (p - 1) / 2);
    EXPECT_EQ(highest[i], static_cast<double>(i) + p - 1);
    EXPECT_EQ(lowest[i], static_cast<double>(i));
  }
  const double nan_on_one = r == p / 2 ? std::numeric_limits<double>::quiet_NaN() : 1;
  EXPECT_TRUE(std::isnan(comm.max(nan_on_one)) && std::isnan(comm.min(nan_on_one)) && std::isnan(comm.sum(nan_on_one)));
}

inline void a_sum_is_taken_in_the_order_of_ranks(const Comm& comm) {
  double expected = 1;
  for (int r = 1; r < comm.size(); ++r) expected += std::pow(3.0, -r);
  EXPECT_EQ(comm.sum(std::pow(3.0, -comm.rank())), expected);
}

// Numbers that differ from element to element, the same for any distribution.
template <class Item>
void randomize(PeriodicBox<Item>& box, const VectorField<Item>& u) {
  using Real = typename PeriodicBox<Item>::Real;
  for (Index c = 0; c < u.components(); ++c)
    box.sample(u[c], [&](std::span<const Real> x) {
      double sum = 0.37 * static_cast<double>(c + 1);
      for (std::size_t k = 0; k < x.size(); ++k) sum += (12.9898 + 7.3 * static_cast<double>(k)) * double(x[k]);
      const double value = 43758.5453 * std::sin(sum);
      return static_cast<Item>(static_cast<Real>(value - std::floor(value) - 0.5));
    });
}

template <class T>
double largest(const Comm& comm, std::span<std::complex<T>> values) {
  double worst = 0;
  for (const auto& value : values) worst = std::max(worst, static_cast<double>(std::abs(value)));
  return comm.max(worst);
}

// div curl = 0, curl grad = 0, div P = 0, P P = P, P grad = 0: of any field, on any grid.
template <class Item>
void operators_keep_their_identities(const Comm& comm, const Shape& shape, const Lengths& lengths) {
  using Real = typename PeriodicBox<Item>::Real;
  PeriodicBox<Item> box(shape, comm, {.lengths = lengths, .fft = {.effort = Effort::estimate}});
  const WaveMesh<Real>& waves = box.waves();
  const auto dims = static_cast<Index>(shape.size());
  const double limit = 500 * static_cast<double>(std::numeric_limits<Real>::epsilon());
  const auto u = box.field(dims);
  const auto v = box.spectrum(dims), w = box.spectrum(dims == 2 ? 1 : dims), scalar = box.spectrum(1);
  randomize(box, u);
  box.forward(u, v);
  if (dims == 3) {
    waves.curl(v, w);
    waves.divergence(w, scalar[0]);
    EXPECT_LT(largest(comm, scalar[0]), limit) << text(shape);
  }
  const auto gradient = box.spectrum(dims);
  waves.gradient(v[0], gradient);
  if (dims == 2 || dims == 3) {
    waves.curl(gradient, w);
    EXPECT_LT(largest(comm, w.all()), limit) << text(shape);
  }
  waves.project(gradient);
  EXPECT_LT(largest(comm, gradient.all()), limit) << text(shape);
  waves.project(v);
  const std::vector<std::complex<Real>> once(v.all().begin(), v.all().end());
  EXPECT_GT(waves.mean_square(v), dims > 1 ? 1e-4 : -1.0);  // something is left
  waves.divergence(v, scalar[0]);
  EXPECT_LT(largest(comm, scalar[0]), limit) << text(shape);
  waves.project(v);
  for (std::size_t t = 0; t < once.size(); ++t) ASSERT_LT(std::abs(v.all()[t] - once[t]), limit);
}

template <class Item>
void energies_are_those_of_the_points(const Comm& comm, const Shape& shape, const Lengths& lengths) {
  PeriodicBox<Item> box(shape, comm, {.lengths = lengths, .fft = {.effort = Effort::estimate}});
  const auto u = box.field(2);
  const auto coefficients = box.spectrum(2);
  randomize(box, u);
  double squares = 0, energy = 0;
  for (const Item& value : u.all()) squares += static_cast<double>(std::norm(value));
  box.forward(u, coefficients);
  const double mean = comm.sum(squares) / static_cast<double>(element_count(shape));
  EXPECT_NEAR(box.waves().mean_square(coefficients), mean, 1e-5 * mean);
  for (const double shell : box.waves().energy_spectrum(coefficients)) energy += shell;
  EXPECT_NEAR(energy, mean / 2, 1e-5 * mean);
}

// The Arnold-Beltrami-Childress flow is its own curl, and all of its energy, (A^2 + B^2 + C^2)/2, has wave number 1.
inline void a_beltrami_flow_is_its_own_curl(const Comm& comm, const Shape& shape) {
  PeriodicBox<double> box(shape, comm, {.fft = {.effort = Effort::estimate}});
  const std::array<double, 3> strength{0.5, 2, 1};  // of what varies along each axis
  const auto u = box.field(3), back = box.field(3);
  const auto v = box.spectrum(3), w = box.spectrum(3);
  for (std::size_t c = 0; c < 3; ++c)
    box.sample(u[static_cast<Index>(c)], [&](std::span<const double> x) {
      const std::size_t next = (c + 1) % 3, other = (c + 2) % 3;
      return strength[other] * std::sin(x[other]) + strength[next] * std::cos(x[next]);
    });
  box.forward(u, v);
  box.waves().curl(v, w);
  box.backward(w, back);
  for (std::size_t t = 0; t < u.all().size(); ++t) ASSERT_NEAR(back.all()[t], u.all()[t], 1e-13);
  const std::vector<double> shells = box.waves().energy_spectrum(v);
  EXPECT_NEAR(shells[1], 2.625, 1e-13);
  EXPECT_NEAR(shells[0] + shells[2], 0, 1e-13);
}

// cos(a x) cos(b x) is half of cos((a-b) x) and of cos((a+b) x), and the latter is beyond what the grid holds.
inline void products_of_many_do_not_alias(const Comm& comm, Index n) {
  PeriodicBox<double> box({n, 4}, comm, {.fft = {.effort = Effort::estimate}});
  const Index a = (n - 1) / 2, b = a - 1;
  const auto u = box.field(3);
  const auto in = box.spectrum(3), out = box.spectrum(2);
  const auto wave = [&](Index c, Index k) {
    box.sample(u[c], [&](std::span<const double> x) { return std::cos(static_cast<double>(k) * x[0]); });
  };
  wave(0, a);
  wave(1, b);
  wave(2, 1);
  box.forward(u, in);
  DealiasedProduct<double> product(box, 3, 2, {}, {.effort = Effort::estimate});
  product.run(in, out, [](const VectorField<double>& x, const VectorField<double>& y) {
    for (std::size_t t = 0; t < x[0].size(); ++t) {
      y[0][t] = x[0][t] * x[1][t];
      y[1][t] = x[2][t] * x[2][t];
    }
  });
  box.waves().for_each([&](Index t, std::span<const double> k) {
    const double first = k[1] == 0 && std::abs(k[0]) == static_cast<double>(a - b) ? 0.25 : 0;
    const double second = k[1] != 0 ? 0 : k[0] == 0 ? 0.5 : std::abs(k[0]) == 2 ? 0.25 : 0;
    EXPECT_NEAR(std::abs(out[0][at(t)] - first), 0, 1e-14) << k[0] << " " << k[1];
    EXPECT_NEAR(std::abs(out[1][at(t)] - second), 0, 1e-14) << k[0] << " " << k[1];
  });
}

}  // namespace kallima
