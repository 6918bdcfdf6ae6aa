#pragma once
// Claims about spectral work that hold on every transport: each function is called by all ranks of a communicator.

#include <gtest/gtest.h>

#include "fft_suite.hpp"
#include "kallima/spectral.hpp"

namespace kallima {

template <class Item>
Item as(const Exact& value) {
  if constexpr (std::is_floating_point_v<Item>)
    return static_cast<Item>(value.real());
  else
    return {static_cast<typename Item::value_type>(value.real()), static_cast<typename Item::value_type>(value.imag())};
}

template <class Item>
std::vector<Item> part_of_all(const Layout& layout, int rank, const std::vector<Exact>& all) {
  std::vector<Item> mine;
  for (const std::size_t place : places_of(layout, rank)) mine.push_back(as<Item>(all[place]));
  return mine;
}

template <class Item>
double distance(const std::vector<Item>& a, const std::vector<Item>& b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (std::size_t t = 0; t < std::min(a.size(), b.size()); ++t)
    worst = std::max(worst, static_cast<double>(std::abs(a[t] - b[t])));
  return worst;
}

// This rank's values of a function of the grid point.
template <class Item, class F>
std::vector<Item> sampled(const Layout& layout, int rank, const F& f) {
  std::vector<Item> values;
  for (Index t = 0; t < layout.local_size(rank); ++t)
    values.push_back(as<Item>(Exact(f(layout.global_index(rank, t)))));
  return values;
}

// A smooth field of a box with sides `lengths`, its derivatives and its Laplacian.
struct Wave {
  Shape shape;
  Lengths lengths;
  Shape waves;  // along each dimension

  long double angle(const Shape& j) const {
    long double sum = 0.3L;
    for (std::size_t k = 0; k < j.size(); ++k)
      sum += 2 * std::numbers::pi_v<long double> * static_cast<long double>(waves[k] * j[k] % shape[k]) /
             static_cast<long double>(shape[k]);
    return sum;
  }
  long double rate(std::size_t k) const {
    return 2 * std::numbers::pi_v<long double> * static_cast<long double>(waves[k]) /
           static_cast<long double>(lengths[k]);
  }
  long double value(const Shape& j) const { return std::sin(angle(j)); }
  long double slope(const Shape& j, std::size_t k) const { return rate(k) * std::cos(angle(j)); }
  long double curvature(const Shape& j) const {
    long double sum = 0;
    for (std::size_t k = 0; k < shape.size(); ++k) sum -= rate(k) * rate(k);
    return sum * value(j);
  }
};

template <class T, class Item>
void derivatives_of_a_wave(const Comm& comm, const Wave& w, const FftOptions& options) {
  const Data data = std::is_floating_point_v<Item> ? Data::real_ : Data::complex_;
  Fft<T> fft({.shape = w.shape, .output = Output::any, .data = data}, comm, options);
  const Layout layout = fft.layout_in();
  const auto sample = [&](const auto& f) { return sampled<Item>(layout, comm.rank(), f); };
  const auto u = sample([&](const Shape& j) { return w.value(j); });
  const auto bent = sample([&](const Shape& j) { return w.curvature(j); });
  const double limit = 2e4 * static_cast<double>(std::numeric_limits<T>::epsilon());
  std::vector<Item> out(u.size());
  std::vector<std::vector<Item>> slopes(w.shape.size(), out);
  const std::vector<std::span<Item>> targets(slopes.begin(), slopes.end());
  gradient(fft, u, targets, w.lengths);
  for (std::size_t k = 0; k < w.shape.size(); ++k) {
    const auto slope = sample([&](const Shape& j) { return w.slope(j, k); });
    derivative(fft, u, out, static_cast<int>(k), 1, w.lengths[k]);
    EXPECT_LT(distance(out, slope), limit) << text(w.shape) << " along " << k;
    EXPECT_LT(distance(slopes[k], slope), limit) << text(w.shape) << " along " << k;
  }
  laplacian(fft, u, out, w.lengths);
  EXPECT_LT(distance(out, bent), limit) << text(w.shape);
  solve_poisson(fft, bent, out, w.lengths);
  EXPECT_LT(distance(out, u), limit) << text(w.shape);
}

// Two arrays and their circular convolution and correlation, term by term.
struct Pair {
  explicit Pair(const Shape& s, Data data) : shape(s), a(random_values(element_count(s), 3)), b(a), sum(a), cross(a) {
    b = random_values(element_count(s), 4);
    if (data == Data::real_)
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = a[i].real(), b[i] = b[i].real();
    const Layout all = Layout::blocks(s, Shape(s.size(), 1), 1);
    for (Index t = 0; t < all.local_size(0); ++t) {
      Exact plus = 0, minus = 0;
      for (Index i = 0; i < all.local_size(0); ++i) {
        plus += a[static_cast<std::size_t>(i)] * b[place(all.global_index(0, t), all.global_index(0, i), -1)];
        minus +=
            std::conj(a[static_cast<std::size_t>(i)]) * b[place(all.global_index(0, t), all.global_index(0, i), 1)];
      }
      sum[static_cast<std::size_t>(t)] = plus;
      cross[static_cast<std::size_t>(t)] = minus;
    }
  }
  std::size_t place(Shape j, const Shape& i, Index sign) const {
    for (std::size_t k = 0; k < j.size(); ++k) j[k] = (j[k] + sign * i[k] + shape[k]) % shape[k];
    return flat(shape, j);
  }
  Shape shape;
  std::vector<Exact> a, b, sum, cross;
};

template <class T, class Item>
void convolves_by_definition(const Comm& comm, const Pair& p, const FftOptions& options) {
  const Data data = std::is_floating_point_v<Item> ? Data::real_ : Data::complex_;
  Fft<T> fft({.shape = p.shape, .output = Output::any, .data = data}, comm, options);
  const auto part = [&](const std::vector<Exact>& all) { return part_of_all<Item>(fft.layout_in(), comm.rank(), all); };
  const std::vector<Item> a = part(p.a);
  std::vector<Item> b = part(p.b), c(a.size());
  const double limit = 200 * static_cast<double>(std::numeric_limits<T>::epsilon());
  correlate(fft, a, b, c);
  EXPECT_LT(distance(c, part(p.cross)), limit) << text(p.shape);
  convolve(fft, a, b, b);
  EXPECT_LT(distance(b, part(p.sum)), limit) << text(p.shape);
}

}  // namespace kallima
