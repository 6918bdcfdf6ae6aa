// The analytic check itself must be right: the spectrum it expects is the DFT of the signal it makes, by the
// definition, and no single wrong element escapes it.

#include "bench/analytic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace kallima::cli {
namespace {

using Complex = std::complex<double>;

const std::vector<Shape> shapes{{1}, {2}, {3}, {8}, {97}, {1, 7, 1}, {4, 6}, {3, 5, 2}, {2, 2, 2, 3}};

std::vector<Axis> whole(const Shape& shape) {
  std::vector<Axis> axes;
  for (std::size_t d = 0; d < shape.size(); ++d) axes.push_back(block_axis(shape, d, 0, shape[d]));
  return axes;
}

std::size_t size_of(const Shape& shape) {
  std::size_t size = 1;
  for (const Index n : shape) size *= static_cast<std::size_t>(n);
  return size;
}

double phase(const Shape& shape, std::size_t j, std::size_t k) {
  double turns = 0;
  for (std::size_t d = shape.size(); d-- > 0;) {
    const auto n = static_cast<std::size_t>(shape[d]);
    turns += static_cast<double>((j % n) * (k % n) % n) / static_cast<double>(n);
    j /= n;
    k /= n;
  }
  return -2 * std::numbers::pi * turns;
}

std::vector<Complex> signal(const Shape& shape) {
  std::vector<Complex> x(size_of(shape));
  fill_signal<double>(whole(shape), x);
  return x;
}

std::vector<Complex> spectrum(const Shape& shape) {  // by the definition
  const std::vector<Complex> x = signal(shape);
  std::vector<Complex> y(x.size());
  for (std::size_t k = 0; k < y.size(); ++k)
    for (std::size_t j = 0; j < x.size(); ++j) y[k] += x[j] * std::polar(1.0, phase(shape, j, k));
  return y;
}

double error_of(const Shape& shape, const std::vector<Complex>& y) {
  const ErrorSums sums = spectrum_error<double>(whole(shape), y);
  return std::sqrt(sums.difference / sums.expected);
}

TEST(Analytic, expected_spectrum_is_the_dft_of_the_signal) {
  for (const Shape& shape : shapes) EXPECT_LT(error_of(shape, spectrum(shape)), 1e-13);
}

TEST(Analytic, one_element_lost_anywhere_is_noticed) {
  for (const Shape& shape : shapes) {
    const std::vector<Complex> y = spectrum(shape);
    for (std::size_t k = 0; k < y.size(); ++k) {
      std::vector<Complex> damaged = y;
      damaged[k] = 0;
      EXPECT_GT(error_of(shape, damaged), 1e-3);
    }
  }
}

TEST(Analytic, two_elements_exchanged_are_noticed) {
  const Shape shape{97};
  const std::vector<Complex> y = spectrum(shape);
  for (std::size_t k = 0; k + 1 < y.size(); ++k) {
    std::vector<Complex> damaged = y;
    std::swap(damaged[k], damaged[k + 1]);
    EXPECT_GT(error_of(shape, damaged), 1e-3);
  }
}

TEST(Analytic, parts_of_any_layout_are_parts_of_the_whole) {
  const Shape shape{6, 10};
  const std::vector<Complex> x = signal(shape);
  const Layout layout({Distribution::cyclic(6, 3), Distribution::group_cyclic(10, 4, 2)}, 13);
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    std::vector<Complex> part(static_cast<std::size_t>(layout.local_size(rank)));
    fill_signal<double>(axes_of(layout, rank), part);
    for (std::size_t t = 0; t < part.size(); ++t) {
      const Shape j = layout.global_index(rank, static_cast<Index>(t));
      EXPECT_LT(std::abs(part[t] - x[static_cast<std::size_t>(j[0] * 10 + j[1])]), 1e-15);
    }
  }
}

TEST(Analytic, long_lines_are_accurate_to_the_last_bits) {
  const Shape shape{1 << 20};
  const Complex last = [&] {
    std::vector<Complex> x(1);
    fill_signal<double>({block_axis(shape, 0, (1 << 20) - 1, 1)}, x);
    return x[0];
  }();
  const Index k0 = (1 << 20) / 3 + 1;  // the signal's wave number in one dimension
  EXPECT_LT(std::abs(last - std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k0) / (1 << 20))), 1e-15);
}

}  // namespace
}  // namespace kallima::cli
