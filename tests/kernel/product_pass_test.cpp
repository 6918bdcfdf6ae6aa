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

// One length is shorter than a row of factors, one than a block of them, and one is of several blocks and a bit.
template <class T>
void chirps_equal_the_definition(Index length) {
  const Index m = 2 * 1009, turns = 4 * 1024;
  const std::vector<Exact> roots = roots_of_unity(m, Direction::forward),
                           others = roots_of_unity(turns, Direction::forward);
  const auto part = [&](Buffer buffer, Index offset, Index first, bool real) {
    return Piece{.buffer = buffer, .offset = offset, .first = first, .count = length, .real = real};
  };
  std::vector<std::complex<T>> in, begun(at(length));
  for (const Exact& v : random_values(2 * length + 8, 1))
    in.emplace_back(static_cast<T>(v.real()), static_cast<T>(v.imag()));
  const auto real = [](const std::vector<std::complex<T>>& of, Index k) {
    return Exact(k % 2 == 0 ? of[at(k / 2)].real() : of[at(k / 2)].imag());
  };
  const auto number = [](const std::complex<T>& z) { return Exact(z.real(), z.imag()); };
  Pass pass{.action = Action::chirp,
            .length = length,
            .twiddle = {.modulus = m, .shift = 3, .step = 5},
            .phase = {.modulus = turns, .shift = 7, .step = turns - 11},
            .scaled = true,
            .divisor = 4};
  const T bound = 16 * std::numeric_limits<T>::epsilon();
  for (const bool from_real : {false, true})
    for (const bool to_real : {false, true})
      for (const bool more : {false, true})
        for (const bool conjugated : {false, true}) {
          if (from_real && to_real) continue;
          pass.conjugated = conjugated;
          pass.sources = {part(Buffer::in, 5, 0, from_real)};
          if (more) pass.sources.push_back(part(Buffer::in, length + 7, length, to_real));
          pass.targets = {part(Buffer::out, 0, 0, to_real)};
          std::vector<std::complex<T>> out = begun;
          run_pass<T>(pass, Direction::backward, in, out, 0.5);
          for (Index k = 0; k < length; ++k) {
            const Index j = 3 + 5 * k, turn = (7 + (turns - 11) * k) % turns;
            Exact factor = roots[at(j * j % m)] * others[at(turn)] / 8.0L;
            if (!conjugated) factor = std::conj(factor);
            Exact wanted = (from_real ? real(in, 5 + k) : number(in[at(5 + k)])) * factor;
            if (to_real) wanted = 2 * wanted.real();
            if (more) wanted += to_real ? real(in, length + 7 + k) : number(in[at(length + 7 + k)]);
            const Exact value = to_real ? real(out, k) : number(out[at(k)]);
            ASSERT_LE(static_cast<T>(std::abs(value - wanted)), bound) << k << " of " << length;
          }
        }
}

TEST(ChirpPass, equals_the_definition_from_and_to_reals_and_adds) {
  for (const Index length : {1, 100, 5000, 40000}) {
    chirps_equal_the_definition<float>(length);
    chirps_equal_the_definition<double>(length);
    chirps_equal_the_definition<long double>(length);
  }
}

// What is added and what is multiplied may be where the result goes.
TEST(ChirpPass, works_in_place) {
  const Index length = 3000;
  const auto line = [&](Buffer buffer, Index first) {
    return Piece{.buffer = buffer, .first = first, .count = length};
  };
  Pass pass{.action = Action::chirp, .length = length, .twiddle = {.modulus = 2018, .shift = 1, .step = 3}};
  std::vector<std::complex<double>> x, apart(at(length)), sum(at(length));
  for (const Exact& v : random_values(length, 1)) x.emplace_back(static_cast<double>(v.real()));
  pass.sources = {line(Buffer::in, 0)};
  pass.targets = {line(Buffer::out, 0)};
  run_pass<double>(pass, Direction::forward, x, apart);
  std::vector<std::complex<double>> in_place = x, in;
  pass.sources = {line(Buffer::out, 0)};
  run_pass<double>(pass, Direction::forward, in, in_place);
  EXPECT_EQ(in_place, apart);
  pass.sources = {line(Buffer::in, 0), line(Buffer::out, length)};
  run_pass<double>(pass, Direction::forward, x, in_place);
  for (std::size_t k = 0; k < x.size(); ++k) EXPECT_EQ(in_place[k], 2.0 * apart[k]) << k;
}

// a + b k has 60 bits at the end, and its square 120.
TEST(ChirpPass, squares_do_not_overflow) {
  const Index m = (Index{1} << 59) - 2, step = Index{1} << 46;
  const Piece line{.buffer = Buffer::in, .count = 4000}, to{.buffer = Buffer::out, .count = 4000};
  const Pass filled{.action = Action::fill, .length = 4000, .targets = {to}, .twiddle = {m, m - 8, step}};
  Pass chirp = filled;
  chirp.action = Action::chirp;
  chirp.sources = {line};
  std::vector<std::complex<double>> in, ones(4000, 1.0), expected(4000), out(4000);
  run_pass<double>(filled, Direction::forward, in, expected);
  run_pass<double>(chirp, Direction::forward, ones, out);
  for (std::size_t k = 0; k < out.size(); ++k) EXPECT_LT(std::abs(out[k] - expected[k]), 1e-15) << k;
}

}  // namespace
}  // namespace kallima::kernel
