// Chirps are exact for lengths whose squares no 64 bits hold, and products are what they say.

#include <gtest/gtest.h>

#include <numbers>

#include "reference.hpp"
#include "run_pass.hpp"

namespace kallima::kernel {
namespace {

using Wide = std::complex<long double>;

Pass fill(Index length, Twiddle chirp) {
  return {.action = Action::fill,
          .length = length,
          .targets = {{.buffer = Buffer::out, .count = length}},
          .twiddle = chirp};
}

TEST(FillPass, writes_a_chirp_and_its_conjugate) {
  const Index m = 2 * 1009;
  const std::vector<Exact> roots = roots_of_unity(m, Direction::forward);
  Pass pass = fill(1500, {.modulus = m, .shift = 3, .step = 5});
  pass.divisor = 4;
  std::vector<std::complex<double>> in, out(1500);
  for (const bool conjugated : {false, true})
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      pass.conjugated = conjugated;
      run_pass<double>(pass, direction, in, out);
      for (Index k = 0; k < 1500; ++k) {
        const Index j = 3 + 5 * k;
        const Exact root = roots[static_cast<std::size_t>(j * j % m)] / 4.0L;
        const bool turned = conjugated != (direction == Direction::backward);
        const std::complex<double> value = out[static_cast<std::size_t>(k)];
        EXPECT_LT(std::abs((turned ? std::conj(root) : root) - Exact(value.real(), value.imag())), 1e-16L) << k;
      }
    }
}

// j^2 has 100 bits here; modulo 2^51 - 2 that of j = -1 - i is that of 1 + i.
TEST(FillPass, squares_do_not_overflow) {
  const Index m = (Index{1} << 51) - 2;
  std::vector<std::complex<double>> in, low(8), high(8);
  run_pass<double>(fill(8, {.modulus = m, .shift = 1, .step = 1}), Direction::forward, in, low);
  run_pass<double>(fill(8, {.modulus = m, .shift = m - 8, .step = 1}), Direction::forward, in, high);
  for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(low[k], high[7 - k]) << k;
}

TEST(FillPass, writes_zeros_backwards_and_in_steps) {
  Pass pass = fill(4, {});
  pass.targets = {{.buffer = Buffer::out, .offset = 6, .count = 4, .stride = -2}};
  std::vector<std::complex<float>> in, out(8, 1);
  run_pass<float>(pass, Direction::forward, in, out);
  for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(out[k], k % 2 == 0 ? std::complex<float>(0) : std::complex<float>(1));
}

template <class T>
void products_equal_the_definition(Buffer target) {
  const Index length = 5000, lines = 3;
  Pass pass{.action = Action::multiply, .length = length, .loops = {lines}, .scaled = true};
  const auto line = [&](Buffer buffer, Index first) {
    return Piece{.buffer = buffer, .first = first, .count = length, .strides = {length}};
  };
  pass.sources = {line(target, 0), line(Buffer::in, length)};
  pass.targets = {line(Buffer::out, 0)};
  std::vector<std::complex<T>> x, y;
  for (const Exact& v : random_values(length * lines, 1))
    x.emplace_back(static_cast<T>(v.real()), static_cast<T>(v.imag()));
  for (const Exact& v : random_values(length * lines, 2))
    y.emplace_back(static_cast<T>(v.real()), static_cast<T>(v.imag()));
  for (const bool conjugated : {false, true}) {
    pass.conjugated = conjugated;
    std::vector<std::complex<T>> out = target == Buffer::out ? x : std::vector<std::complex<T>>(x.size());
    const std::vector<std::complex<T>>& first = target == Buffer::out ? x : y;
    run_pass<T>(pass, Direction::backward, y, out, 0.5);
    for (std::size_t k = 0; k < x.size(); ++k) {
      const std::complex<T> wanted = first[k] * (conjugated ? std::conj(y[k]) : y[k]) / T(2);
      EXPECT_LE(std::abs(out[k] - wanted), 4 * std::numeric_limits<T>::epsilon()) << k;
    }
  }
}

TEST(MultiplyPass, equals_the_definition_in_place_and_elsewhere) {
  for (const Buffer target : {Buffer::out, Buffer::in}) {
    products_equal_the_definition<float>(target);
    products_equal_the_definition<double>(target);
    products_equal_the_definition<long double>(target);
  }
}

// Reals by complex numbers, and complex numbers by such to reals, which are products and their conjugates.
template <class T>
void products_with_reals_equal_the_definition() {
  const Index length = 5000, lines = 3;
  const auto line = [&](Buffer buffer, Index offset, Index first, bool real) {
    return Piece{
        .buffer = buffer, .offset = offset, .first = first, .count = length, .strides = {length}, .real = real};
  };
  std::vector<std::complex<T>> in, complex_out(at(length * lines));
  for (const Exact& v : random_values(2 * length * lines, 1))
    in.emplace_back(static_cast<T>(v.real()), static_cast<T>(v.imag()));
  std::vector<T> real_out(complex_out.size());
  const auto number = [&](Index k) { return in[at(k)]; };
  const auto real = [&](Index k) { return k % 2 == 0 ? number(k / 2).real() : number(k / 2).imag(); };
  const T bound = 8 * std::numeric_limits<T>::epsilon();
  for (const bool conjugated : {false, true}) {
    Pass pass{.action = Action::multiply, .length = length, .loops = {lines}, .scaled = true, .conjugated = conjugated};
    const auto factor = [&](Index k) {
      const std::complex<T> y = number(length * lines + k);
      return conjugated ? std::conj(y) : y;
    };
    const Piece factors = line(Buffer::in, length * lines, length, false);
    pass.sources = {line(Buffer::in, 7, 0, true), factors};
    pass.targets = {line(Buffer::out, 0, 0, false)};
    run_pass<T>(pass, Direction::forward, in, complex_out, 0.5);
    pass.sources = {line(Buffer::in, 5, 0, false), factors};
    pass.targets = {line(Buffer::out, 0, 0, true)};
    run_pass<T>(pass, Direction::backward, in, real_out, 0.5);
    for (Index k = 0; k < length * lines; ++k) {
      EXPECT_LE(std::abs(complex_out[at(k)] - real(7 + k) * factor(k) / T(2)), bound) << k;
      EXPECT_LE(std::abs(real_out[at(k)] - (number(5 + k) * factor(k)).real()), bound) << k;
    }
  }
}

TEST(MultiplyPass, equals_the_definition_from_reals_and_to_reals) {
  products_with_reals_equal_the_definition<float>();
  products_with_reals_equal_the_definition<double>();
  products_with_reals_equal_the_definition<long double>();
}

}  // namespace
}  // namespace kallima::kernel
