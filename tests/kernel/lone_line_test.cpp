// A line of reals by itself is transformed where it stands, and takes no more memory than a complex line of half its
// length.

#include <gtest/gtest.h>

#include "real_reference.hpp"
#include "run_pass.hpp"

namespace kallima::kernel {
namespace {

struct Line {
  Kind kind;
  Index n;
  bool in_place = false;
  Twiddle twiddle = {};
  bool to_half() const { return kind == Kind::real_to_half; }
  Index read() const { return to_half() ? n : n / 2 + 1; }
  Index write() const { return to_half() ? n / 2 + 1 : n; }
};

Pass pass_of(const Line& line) {
  Pass pass{.kind = line.kind, .length = line.n, .loops = {1, 1}, .scaled = true};
  pass.twiddle = line.twiddle;
  pass.sources = {{.buffer = line.in_place ? Buffer::out : Buffer::in,
                   .count = line.read(),
                   .strides = {0, 0},
                   .real = line.to_half()}};
  pass.targets = {{.buffer = Buffer::out, .count = line.write(), .strides = {0, 0}, .real = !line.to_half()}};
  return pass;
}

// The relative error, in L2, of some of the results.
template <class T>
double error_of(const Line& line) {
  constexpr Index step = 37;
  const std::vector<Exact> given = random_values(line.read(), 3);
  std::vector<T> in(at(line.n + 2)), out(at(line.n + 2));
  std::vector<T>& from = line.in_place ? out : in;
  for (Index k = 0; k < line.read(); ++k) {
    from[at(line.to_half() ? k : 2 * k)] = static_cast<T>(given[at(k)].real());
    if (!line.to_half()) from[at(2 * k + 1)] = static_cast<T>(given[at(k)].imag());
  }
  const std::vector<T> kept = in;
  const std::vector<Exact> wanted = reference_line(line.kind, line.n, given, step);
  run_pass<T>(pass_of(line), Direction::forward, in, out, 0.5L);
  EXPECT_EQ(in, kept) << line.n;
  const std::vector<Exact> roots =
      line.twiddle.modulus > 0 ? roots_of_unity(line.twiddle.modulus, Direction::forward) : std::vector<Exact>{1};
  long double wrong = 0, all = 0;
  for (Index k = 0; k < line.write(); k += step) {
    const Exact want = wanted[at(k / step)] * 0.5L * roots[at(k * line.twiddle.shift) % roots.size()];
    const Exact got = line.to_half() ? Exact(out[at(2 * k)], out[at(2 * k + 1)]) : Exact(out[at(k)]);
    wrong += std::norm(got - (line.to_half() ? want : Exact(want.real())));
    all += std::norm(want);
  }
  return static_cast<double>(std::sqrt(wrong / all));
}

const std::vector<Index> lengths{1031, 1032, 2048, 2187, 5040};

TEST(LoneLine, equals_the_definition_in_place_and_out_of_place) {
  for (const Kind kind : {Kind::real_to_half, Kind::half_to_real})
    for (const Index n : lengths)
      for (const bool in_place : {false, true}) {
        EXPECT_LT(error_of<double>({kind, n, in_place}), 1e-15) << n << " in place " << in_place;
        EXPECT_LT(error_of<float>({kind, n, in_place}), 6e-7) << n << " in place " << in_place;
      }
}

TEST(LoneLine, is_multiplied_by_twiddle_factors) {
  for (const Index n : {2187, 5040})
    EXPECT_LT(error_of<double>({Kind::real_to_half, n, false, {.modulus = 3 * n, .shift = 2}}), 1e-15) << n;
}

TEST(LoneLine, takes_half_a_complex_line_of_memory) {
  for (const Kind kind : {Kind::real_to_half, Kind::half_to_real})
    for (const Index n : {65536, 1000000, 1 << 20}) {
      const auto kernel =
          cpu_backend(Precision::double_)->compile(pass_of({kind, n}), 0, Direction::forward, Effort::estimate);
      EXPECT_LT(static_cast<double>(kernel->tile_bytes()), 1.4 * static_cast<double>(n) * sizeof(double)) << n;
    }
}

}  // namespace
}  // namespace kallima::kernel
