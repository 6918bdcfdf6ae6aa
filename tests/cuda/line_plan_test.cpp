// Passes as the device's kernels see them, computed here by their definition: what the kernels are told must lead to
// the same numbers as what the schedule says.

#include "cuda/model/line_plan.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <numeric>

namespace kallima::cuda {
namespace {

using Complex = std::complex<long double>;
constexpr long double pi = std::numbers::pi_v<long double>;

Complex turned(long double turns) { return std::polar(1.0L, turns * 2 * pi); }

// FFTW's definitions.
long double by_definition(Kind kind, const std::vector<long double>& x, int k) {
  const int n = static_cast<int>(x.size());
  long double sum = 0;
  for (int j = 0; j < n; ++j) {
    const auto J = static_cast<long double>(j), K = static_cast<long double>(k), N = static_cast<long double>(n);
    const bool edge = j == 0 || j == n - 1;
    switch (kind) {
      case Kind::dct1:
        sum += (edge ? 1 : 2) * x[at(j)] * std::cos(pi * J * K / (N - 1));
        break;
      case Kind::dct2:
        sum += 2 * x[at(j)] * std::cos(pi * (J + 0.5L) * K / N);
        break;
      case Kind::dct3:
        sum += (j == 0 ? 1 : 2) * x[at(j)] * std::cos(pi * J * (K + 0.5L) / N);
        break;
      case Kind::dct4:
        sum += 2 * x[at(j)] * std::cos(pi * (J + 0.5L) * (K + 0.5L) / N);
        break;
      case Kind::dst1:
        sum += 2 * x[at(j)] * std::sin(pi * (J + 1) * (K + 1) / (N + 1));
        break;
      case Kind::dst2:
        sum += 2 * x[at(j)] * std::sin(pi * (J + 0.5L) * (K + 1) / N);
        break;
      case Kind::dst3:
        sum += (j == n - 1 ? 1 : 2) * x[at(j)] * std::sin(pi * (J + 1) * (K + 0.5L) / N);
        break;
      default:
        sum += 2 * x[at(j)] * std::sin(pi * (J + 0.5L) * (K + 0.5L) / N);
    }
  }
  return sum;
}

long double as_planned(const LinePlan& plan, const std::vector<long double>& x, int k) {
  const Trigonometric& t = plan.trigonometric;
  Complex sum = 0;
  for (int j = 0; j < static_cast<int>(x.size()); ++j) {
    const long double weight = j == 0 ? t.first : j == t.elements - 1 ? t.last : 2;
    const Complex put = weight * x[at(j)] * turned(-static_cast<long double>((2 * j + t.a) * t.b) / (8 * t.m));
    sum += put * turned(-static_cast<long double>(j) * k / plan.length);
  }
  const Complex result = sum * turned(-static_cast<long double>(t.a * k) / (4 * t.m));
  return t.sine ? -result.imag() : result.real();
}

TEST(line_plan, cosines_and_sines_are_fourier_transforms) {
  for (const Kind kind :
       {Kind::dct1, Kind::dct2, Kind::dct3, Kind::dct4, Kind::dst1, Kind::dst2, Kind::dst3, Kind::dst4})
    for (const int n : {1, 2, 3, 7, 8}) {
      if (kind == Kind::dct1 && n == 1) continue;
      const LinePlan plan = line_plan({.kind = kind, .length = n, .sources = {{.real = true}}}, Direction::forward);
      std::vector<long double> x(at(n));
      for (int j = 0; j < n; ++j) x[at(j)] = std::cos(1.3L * static_cast<long double>(j * j + 1));
      for (int k = 0; k < n; ++k)
        EXPECT_NEAR(static_cast<double>(as_planned(plan, x, k)), static_cast<double>(by_definition(kind, x, k)), 1e-13)
            << "kind " << static_cast<int>(kind) << ", n " << n << ", k " << k;
    }
}

TEST(line_plan, radices_multiply_to_the_length) {
  for (int n = 1; n <= 2000; ++n) {
    int rest = n;
    for (const int p : {2, 3, 5, 7, 11, 13})
      while (rest % p == 0) rest /= p;
    const auto radices = radices_of(n);
    ASSERT_EQ(radices.has_value(), rest == 1) << n;
    if (radices) {
      EXPECT_EQ(std::accumulate(radices->begin(), radices->end(), 1, std::multiplies<>()), n);
    }
  }
}

TEST(line_plan, loops_that_continue_one_another_are_joined) {
  Pass pass{.length = 4, .loops = {3, 1, 5}};
  pass.sources = {{.count = 4, .stride = 15, .strides = {7, 5, 9, 1}}};
  pass.targets = {{.count = 4, .stride = 1, .strides = {7, 20, 9, 4}}};
  const Pass joined = simplified(pass, 1);
  EXPECT_EQ(joined.loops, std::vector<Index>{15});
  EXPECT_EQ(joined.sources[0].strides, (std::vector<Index>{7, 1}));
  EXPECT_EQ(joined.targets[0].strides, (std::vector<Index>{7, 4}));
}

TEST(line_plan, a_loop_with_twiddles_stays_by_itself) {
  Pass pass{.length = 4, .loops = {3, 5}, .twiddle = {.modulus = 12, .step = 1, .loop = 0}};
  pass.sources = pass.targets = {{.count = 4, .stride = 15, .strides = {5, 1}}};
  EXPECT_EQ(simplified(pass, 0).loops, (std::vector<Index>{3, 5}));
}

TEST(line_plan, cosines_of_complex_numbers_are_cosines_of_reals) {
  Pass pass{.kind = Kind::dct2, .length = 4, .loops = {3}};
  pass.sources = pass.targets = {{.offset = 2, .count = 4, .stride = 1, .strides = {4}}};
  const Pass reals = simplified(pass, 0);
  EXPECT_EQ(reals.loops, (std::vector<Index>{3, 2}));
  EXPECT_TRUE(reals.sources[0].real);
  EXPECT_EQ(reals.sources[0].offset, 4);
  EXPECT_EQ(reals.sources[0].stride, 2);
  EXPECT_EQ(reals.sources[0].strides, (std::vector<Index>{8, 1}));
}

TEST(line_plan, rows_tell_where_every_element_of_a_line_is) {
  const auto rows =
      rows_of({{.first = 1, .count = 2, .every = 2, .stride = 10}, {.first = 0, .count = 2, .every = 2, .stride = 3}});
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[1].k, 3);
  EXPECT_EQ(rows[1].offset, 10);
  EXPECT_EQ(rows[3].k, 2);
  EXPECT_EQ(rows[3].piece, 1);
}

TEST(line_plan, a_block_has_room_for_its_lines) {
  for (const int length : {1, 2, 48, 512, 4096})
    for (const Index lines : {Index{1}, Index{7}, Index{100000}})
      for (const int pieces : {2, 96}) {
        const int together = lines_together(length, lines, pieces);
        EXPECT_GE(together, 1);
        EXPECT_LE(together, lines);
        EXPECT_LE(together * length, std::max(length, block_elements));
        EXPECT_LE(together * pieces, 2048);
      }
}

}  // namespace
}  // namespace kallima::cuda
