#include <gtest/gtest.h>

#include "kernel/lane_fft.hpp"
#include "kernel/twiddle.hpp"
#include "reference.hpp"
#include "run_pass.hpp"

namespace kallima::kernel {
namespace {

using Complex = std::complex<double>;

std::vector<Complex> narrowed(const std::vector<Exact>& values) {
  std::vector<Complex> result;
  for (const Exact& v : values) result.emplace_back(static_cast<double>(v.real()), static_cast<double>(v.imag()));
  return result;
}

// Runs one pass on buffers of `size` elements whose input is random, and returns {in, out}.
std::pair<std::vector<Exact>, std::vector<Complex>> run(const Pass& pass, Index size, Direction direction,
                                                        double scale) {
  const std::vector<Exact> x = random_values(size, 7);
  std::vector<Complex> in = narrowed(x);
  std::vector<Complex> out(static_cast<std::size_t>(size));
  run_pass<double>(pass, direction, in, out, scale);
  return {x, out};
}

// omega_modulus^(k (shift + step i)), summed with the transform by definition.
Exact expected(const std::vector<Exact>& line, Index k, const Twiddle& t, Index i, Direction direction, double scale) {
  const Index n = static_cast<Index>(line.size());
  const std::vector<Exact>& roots = roots_of_unity(n, direction);
  Exact sum = 0;
  for (Index j = 0; j < n; ++j) sum += line[static_cast<std::size_t>(j)] * roots[static_cast<std::size_t>(j * k % n)];
  if (t.modulus > 0)
    sum *= roots_of_unity(t.modulus, direction)[static_cast<std::size_t>(k * (t.shift + t.step * i) % t.modulus)];
  return sum * static_cast<long double>(scale);
}

// Lines along the slow axis of a length x lanes matrix, as phase I has them, for all ways to run a pass.
class Columns : public testing::TestWithParam<Index> {};

TEST_P(Columns, equal_the_definition_with_twiddles_and_scale) {
  const Index n = GetParam();
  for (const Index lanes : {1, 3, 4, 21})
    for (const Direction direction : {Direction::forward, Direction::backward})
      for (const int loop : {-1, 0}) {
        Pass pass;
        pass.length = n;
        pass.sources = {{.buffer = Buffer::in, .count = n, .stride = lanes, .strides = {1}}};
        pass.targets = {{.buffer = Buffer::out, .count = n, .stride = lanes, .strides = {1}}};
        pass.loops = {lanes};
        pass.twiddle = {.modulus = 12 * n, .shift = 5, .step = loop < 0 ? 0 : 3, .loop = loop};
        pass.scaled = true;
        const auto [x, out] = run(pass, n * lanes, direction, 0.25);
        for (Index b = 0; b < lanes; ++b) {
          std::vector<Exact> line;
          for (Index j = 0; j < n; ++j) line.push_back(x[static_cast<std::size_t>(j * lanes + b)]);
          for (Index k = 0; k<n; k += n> 64 ? 37 : 1) {
            const Exact want = expected(line, k, pass.twiddle, loop < 0 ? 0 : b, direction, 0.25);
            const Complex got = out[static_cast<std::size_t>(k * lanes + b)];
            ASSERT_NEAR(std::abs(static_cast<Complex>(want) - got), 0, 1e-15 * static_cast<double>(n))
                << "length " << n << ", lane " << b << " of " << lanes << ", output " << k;
          }
        }
      }
}

INSTANTIATE_TEST_SUITE_P(Lengths, Columns, testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 31, 64, 576));

// As phase I of one axis has them: the results of a column are lines, dealt out to as many places.
TEST(Pass, turns_columns_into_lines_that_are_dealt_out) {
  for (const Index n : {Index{8}, Index{36}, Index{64}, Index{576}})
    for (const Index every : {1, 2, 4})
      for (const Index lanes : {4, 8, 21})
        for (const Direction direction : {Direction::forward, Direction::backward}) {
          const Index run_length = n / every;
          Pass pass;
          pass.length = n;
          pass.sources = {{.buffer = Buffer::in, .count = n, .stride = lanes, .strides = {1}}};
          for (Index c = 0; c < every; ++c)
            pass.targets.push_back({.buffer = Buffer::out,
                                    .offset = c * lanes * run_length,
                                    .first = c,
                                    .count = run_length,
                                    .every = every,
                                    .stride = 1,
                                    .strides = {run_length}});
          pass.loops = {lanes};
          pass.twiddle = {.modulus = 12 * n, .shift = 5, .step = 3, .loop = 0};
          const auto [x, out] = run(pass, n * lanes, direction, 1);
          for (Index b = 0; b < lanes; b += 3) {
            std::vector<Exact> line;
            for (Index j = 0; j < n; ++j) line.push_back(x[static_cast<std::size_t>(j * lanes + b)]);
            for (Index k = 0; k<n; k += n> 64 ? 37 : 1) {
              const Exact want = expected(line, k, pass.twiddle, b, direction, 1);
              const Index place = (k % every * lanes + b) * run_length + k / every;
              ASSERT_NEAR(std::abs(static_cast<Complex>(want) - out[static_cast<std::size_t>(place)]), 0, 1e-13)
                  << "length " << n << " dealt out to " << every << ", lane " << b << " of " << lanes;
            }
          }
        }
}

TEST(Pass, transforms_contiguous_lines) {
  Pass pass;
  pass.length = 38;
  pass.sources = {{.buffer = Buffer::in, .count = 38, .stride = 1, .strides = {38}}};
  pass.targets = {{.buffer = Buffer::out, .count = 38, .stride = 1, .strides = {38}}};
  pass.loops = {50};
  const auto [x, out] = run(pass, 1900, Direction::forward, 1);
  for (std::size_t line = 0; line < 50; ++line)
    for (Index k = 0; k < 38; ++k) {
      const auto begin = x.begin() + static_cast<std::ptrdiff_t>(38 * line);
      const Exact want = expected({begin, begin + 38}, k, {}, 0, Direction::forward, 1);
      EXPECT_NEAR(std::abs(static_cast<Complex>(want) - out[38 * line + static_cast<std::size_t>(k)]), 0, 1e-13);
    }
}

// Sources and targets that interleave, cover uneven ranges and step backwards through nothing: only moved.
// Long lines are transformed one by one, and then go wherever they belong.
TEST(Pass, deals_out_long_lines) {
  constexpr Index n = 8192, lines = 3, half = n / 2;
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    Pass pass{.length = n, .loops = {lines}};
    pass.sources = {{.buffer = Buffer::in, .count = n, .strides = {n}}};
    pass.targets = {{.buffer = Buffer::out, .count = n, .strides = {n}}};
    pass.twiddle = {.modulus = 12 * n, .shift = 5, .step = 3, .loop = 0};
    pass.scaled = true;
    const std::vector<Complex> whole = run(pass, n * lines, direction, 0.25).second;
    pass.targets = {
        {.buffer = Buffer::out, .count = half, .every = 2, .strides = {half}},
        {.buffer = Buffer::out, .offset = lines * half, .first = 1, .count = half, .every = 2, .strides = {half}}};
    const std::vector<Complex> dealt = run(pass, n * lines, direction, 0.25).second;
    for (Index b = 0; b < lines; ++b)
      for (Index k = 0; k < n; ++k)
        ASSERT_NEAR(std::abs(whole[static_cast<std::size_t>(b * n + k)] -
                             dealt[static_cast<std::size_t>((k % 2 * lines + b) * half + k / 2)]),
                    0, 1e-12)
            << "line " << b << ", output " << k;
  }
}

TEST(Pass, moves_between_any_two_coverings_of_a_line) {
  Pass pass;
  pass.action = Action::move;
  pass.length = 10;
  pass.sources = {
      {.buffer = Buffer::in, .offset = 0, .first = 0, .count = 5, .every = 2, .stride = 1, .strides = {5}},
      {.buffer = Buffer::in, .offset = 15, .first = 1, .count = 5, .every = 2, .stride = 3, .strides = {1}}};
  pass.targets = {{.buffer = Buffer::out, .offset = 0, .first = 0, .count = 3, .stride = 3, .strides = {1}},
                  {.buffer = Buffer::out, .offset = 9, .first = 3, .count = 7, .stride = 1, .strides = {7}}};
  pass.loops = {3};
  const auto [x, out] = run(pass, 30, Direction::forward, 1);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 10; ++k) {
      const Exact want = k % 2 == 0 ? x[i * 5 + k / 2] : x[15 + i + k / 2 * 3];
      EXPECT_EQ(out[k < 3 ? k * 3 + i : 9 + i * 7 + k - 3], static_cast<Complex>(want)) << i << " " << k;
    }
}

// Summands from two pieces, one of them backwards, for more lines than a tile takes at once, and for several loops.
TEST(Pass, adds_up_lines) {
  const Index lanes = 6000;
  Pass pass;
  pass.action = Action::sum;
  pass.length = 3;
  pass.sources = {{.buffer = Buffer::in,
                   .offset = 0,
                   .first = 0,
                   .count = 2,
                   .every = 2,
                   .stride = 2 * lanes,
                   .strides = {lanes, 1}},
                  {.buffer = Buffer::in, .offset = 6 * lanes - 1, .first = 1, .strides = {-lanes, -1}}};
  pass.targets = {{.buffer = Buffer::out, .offset = lanes - 1, .strides = {lanes, -1}}};
  pass.loops = {2, lanes};
  pass.scaled = true;
  const auto [x, out] = run(pass, 6 * lanes, Direction::forward, 0.5);
  for (Index i = 0; i < 2; ++i)
    for (Index j = 0; j < lanes; ++j) {
      const auto at = [&x = x](Index k) { return x[static_cast<std::size_t>(k)]; };
      const Exact want = at(i * lanes + j) + at((i + 2) * lanes + j) + at((6 - i) * lanes - 1 - j);
      const Complex got = out[static_cast<std::size_t>(i * lanes + lanes - 1 - j)];
      ASSERT_NEAR(std::abs(static_cast<Complex>(want) * 0.5 - got), 0, 1e-15) << i << " " << j;
    }
}

TEST(Pass, adds_in_place) {
  Pass pass{.action = Action::sum, .length = 2, .loops = {5}};
  pass.sources = {{.buffer = Buffer::out, .strides = {1}}, {.buffer = Buffer::in, .first = 1, .strides = {1}}};
  pass.targets = {{.buffer = Buffer::out, .strides = {1}}};
  std::vector<Complex> in(5, {1, 2}), out{1, 2, 3, 4, 5};
  run_pass<double>(pass, Direction::forward, in, out);
  EXPECT_EQ(out, (std::vector<Complex>{{2, 2}, {3, 2}, {4, 2}, {5, 2}, {6, 2}}));
}

// Rows may be permuted in place: everything is read before anything is written.
TEST(LaneFft, may_write_over_its_sources) {
  for (const Index n : {2, 3, 4, 5, 8, 30, 64, 128, 600}) {
    const LaneFft<double> fft(n, Direction::backward);
    const Index lanes = 2 * LaneFft<double>::granularity();
    const std::vector<Exact> x = random_values(n * lanes, 3);
    std::vector<Complex> data = narrowed(x);
    std::vector<Row<const Complex>> in;
    std::vector<Row<Complex>> out;
    for (Index i = 0; i < n; ++i) {
      in.push_back({&data[static_cast<std::size_t>(lanes * i)], 1});
      out.push_back({&data[static_cast<std::size_t>(lanes * (n - 1 - i))], 1});
    }
    std::vector<Complex> tile(static_cast<std::size_t>(fft.tile_elements(lanes)));
    fft({{.rows = in.data(), .lane_stride = 1}, {.rows = out.data(), .lane_stride = 1}}, 0, lanes, {}, tile.data());
    for (Index b = 0; b < lanes; ++b)
      for (Index k = 0; k<n; k += n> 64 ? 37 : 1) {
        std::vector<Exact> line;
        for (Index j = 0; j < n; ++j) line.push_back(x[static_cast<std::size_t>(lanes * j + b)]);
        const Exact want = expected(line, k, {}, 0, Direction::backward, 1);
        EXPECT_NEAR(std::abs(static_cast<Complex>(want) - data[static_cast<std::size_t>(lanes * (n - 1 - k) + b)]), 0,
                    1e-13);
      }
  }
}

// How rows stand in memory, and how a transform is told of it.
struct Standing {
  bool near;        // lanes are neighbours; else elements are
  bool regular;     // no list
  bool mixed;       // rows are said to differ in the distance of their lanes
  Index every = 0;  // so many rows are neighbours in lines; 0: this is not said
};

template <class T>
void check_lanes(Index n, Direction direction, const Standing& from, const Standing& to, bool by_row, bool by_lane,
                 const RowsThatMeet& meet) {
  using C = std::complex<T>;
  const LaneFft<T> fft(n, direction, meet);
  const Index vector = LaneFft<T>::granularity(), lanes = 3 * vector, first = vector, all = first + lanes;
  std::vector<Exact> w = random_values(n, 6), v;
  const std::vector<Exact> x = random_values(n * all, 5);
  const std::vector<Exact>& roots = roots_of_unity(1009, Direction::backward);
  const auto power = [&](Index k) { return roots[at(k % 1009)]; };
  for (Index k = 0; by_lane && k < n; ++k) w[at(k)] = power(3 * k);  // which factors by lane are
  for (Index k = 0; by_lane && k < n; ++k)
    for (Index b = 0; b < lanes; ++b) v.push_back(power(k * b));
  const auto narrow = [](const std::vector<Exact>& values) {
    std::vector<C> result;
    for (const Exact& value : values) result.push_back(static_cast<C>(value));
    return result;
  };
  const auto place = [&](const Standing& s, Index k, Index b) { return at(s.near ? k * all + b : b * n + k); };
  std::vector<C> in(at(n * all)), out(at(n * all)), tile(at(fft.tile_elements(lanes)));
  for (Index k = 0; k < n; ++k)
    for (Index b = 0; b < all; ++b) in[place(from, k, b)] = static_cast<C>(x[at(k * all + b)]);
  std::vector<Row<const C>> rows_in;
  std::vector<Row<C>> rows_out;
  for (Index k = 0; k < n; ++k) {
    rows_in.push_back({&in[place(from, k, 0)], from.near ? 1 : n});
    rows_out.push_back({&out[place(to, k, 0)], to.near ? 1 : n});
  }
  const auto list = [&]<class D>(const std::vector<Row<D>>& rows, const Standing& s) {
    const Index stride = s.mixed ? 0 : rows[0].stride;
    if (!s.regular) return RowList<D>{.rows = rows.data(), .lane_stride = stride, .every = s.every};
    return RowList<D>{.base = rows[0].p, .pitch = s.near ? all : 1, .lane_stride = stride, .every = s.every};
  };
  const std::vector<C> row = narrow(w), fine = narrow(v);
  typename LaneFft<T>::Factors factors{.scale = T(0.5)};
  if (by_row) factors.row = row.data();
  if (by_lane) factors = {.row = row.data(), .fine = fine.data(), .fine_stride = lanes, .scale = T(0.5)};
  fft({list(rows_in, from), list(rows_out, to)}, first, lanes, factors, tile.data());
  const bool forward = direction == Direction::forward;
  for (Index b = 0; b < lanes; b += lanes - 1)
    for (Index k = (n + b) % 3 % n; k < n; k += 1 + n / 6) {
      std::vector<Exact> line;
      for (Index j = 0; j < n; ++j) line.push_back(static_cast<Exact>(static_cast<C>(x[at(j * all + first + b)])));
      Exact want = expected(line, k, {}, 0, direction, 0.5L);
      const auto factor = [&](const C& f) {
        return forward ? static_cast<Exact>(f) : std::conj(static_cast<Exact>(f));
      };
      if (by_row || by_lane) want *= factor(row[at(k)]);
      if (by_lane) want *= factor(fine[at(k * lanes + b)]);
      const C got = out[place(to, k, first + b)];
      ASSERT_NEAR(static_cast<double>(std::abs(want - static_cast<Exact>(got))), 0,
                  (sizeof(T) == 4 ? 2e-6 : 4e-15) * std::sqrt(static_cast<double>(n)) * 4)
          << n << " points, row " << k << ", lane " << b << (forward ? "" : ", backward");
    }
  for (Index k = 0; k < n; ++k)
    for (Index b = 0; b < first; ++b) ASSERT_EQ(out[place(to, k, b)], C(0)) << "other lanes are left alone";
}

TEST(LaneFft, transforms_rows_that_stand_anywhere) {
  const Standing standings[] = {{true, true, false},   {true, false, false}, {false, true, false},
                                {false, false, false}, {true, false, true},  {false, true, false, 1}};
  for (Index n = 2; n <= 520; n += n < 66 ? 1 : 7) {
    for (const Standing& from : standings)
      for (const Standing& to : standings) {
        const Index choice = n + (&from - standings) + (&to - standings);
        const Direction direction = choice / 3 % 2 == 0 ? Direction::forward : Direction::backward;
        const RowsThatMeet meet{choice / 2 % 2 == 0, choice / 4 % 2 == 0, choice % 5 > 1};
        check_lanes<double>(n, direction, from, to, choice % 3 == 1, choice % 3 == 2, meet);
        check_lanes<float>(n, direction, from, to, choice % 3 == 2, choice % 3 == 0, meet);
        if (HasFatalFailure()) return;
      }
  }
  for (const Index n : {1024, 1001, 2187, 4096, 8008})
    for (const bool copied : {false, true})
      check_lanes<double>(n, Direction::backward, standings[0], standings[copied ? 1 : 2], true, !copied,
                          {copied, copied, copied});
}

TEST(TwiddleTable, serves_both_directions_and_is_a_quarter_of_the_data_at_most) {
  const Index n = 256, lanes = 4096;
  Pass pass{.length = n};
  pass.sources = {{.buffer = Buffer::in, .count = n, .stride = lanes, .strides = {1}}};
  pass.targets = {{.buffer = Buffer::out, .count = n, .stride = lanes, .strides = {1}}};
  pass.loops = {lanes};
  pass.twiddle = {.modulus = 4 * n * lanes, .shift = 1, .step = 4, .loop = 0};
  const auto backend = cpu_backend(Precision::double_);
  const auto compiled = [&](Direction direction) { return backend->compile(pass, 0, direction, Effort::estimate); };
  const auto there = compiled(Direction::forward), back = compiled(Direction::backward);
  const std::vector<KernelTable> tables = there->tables(), same = back->tables();
  ASSERT_EQ(tables.size(), same.size());
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    EXPECT_EQ(tables[i].at, same[i].at);
    bytes += tables[i].bytes;
  }
  EXPECT_GT(bytes, 0u);
  EXPECT_LE(4 * bytes, static_cast<std::size_t>(n * lanes) * sizeof(Complex));
}

TEST(TwiddleTable, coarse_and_fine_rows_multiply_to_the_factor) {
  const Index n = Index{1} << 22;
  const Twiddle t{.modulus = n, .shift = 3, .step = 5, .loop = 0};
  const TwiddleTable<double> table(t, 1024, {4000}, 0);
  ASSERT_GT(table.fine_count(), 1);
  for (const Index i : {0, 7, 8, 1001, 3999}) {
    std::vector<Complex> line(1024, 1.0);
    table.multiply(line.data(), i, 1.0, Direction::forward);
    for (Index k = 0; k < 1024; k += 11) {
      const long double angle = -2 * std::numbers::pi_v<long double> * static_cast<long double>(k * (3 + 5 * i) % n) /
                                static_cast<long double>(n);
      const Complex want(static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle)));
      EXPECT_NEAR(std::abs(line[static_cast<std::size_t>(k)] - want), 0, 5e-16);
    }
  }
}

}  // namespace
}  // namespace kallima::kernel
