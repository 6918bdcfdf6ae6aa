// Passes over reals equal the definition of their transforms, wherever sources and targets stand.

#include <gtest/gtest.h>

#include <algorithm>

#include "real_reference.hpp"
#include "run_pass.hpp"

namespace kallima::kernel {
namespace {

constexpr Index outer = 2;

const std::vector<Kind> r2r_kinds{Kind::dct1, Kind::dct2, Kind::dct3, Kind::dct4,
                                  Kind::dst1, Kind::dst2, Kind::dst3, Kind::dst4};

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// How the elements of outer x lanes lines of n elements stand in an array: line by line, element by element, all even
// elements line by line and then all odd ones, or so the first parts of all lines and then the rest.
enum class Form { lines, columns, halves, parts };

Index first_part(Index n) { return (n + 2) / 3; }

std::vector<Piece> pieces(Form form, Buffer buffer, bool real, Index n, Index lanes) {
  Piece p{.buffer = buffer, .count = n, .strides = {lanes * n, n}, .real = real};
  if (form == Form::columns) {
    p.stride = outer * lanes;
    p.strides = {lanes, 1};
  }
  if (form == Form::parts && n > 1) {
    Piece head = p, tail = p;
    tail.first = head.count = first_part(n);
    tail.count = n - head.count;
    tail.offset = outer * lanes * head.count;
    for (Piece* each : {&head, &tail}) each->strides = {lanes * each->count, each->count};
    return {head, tail};
  }
  if (form != Form::halves || n == 1) return {p};
  Piece even = p, odd = p;
  even.count = (n + 1) / 2;
  odd.count = n / 2;
  odd.first = 1;
  odd.offset = outer * lanes * even.count;
  even.every = odd.every = 2;
  even.strides = {lanes * even.count, even.count};
  odd.strides = {lanes * odd.count, odd.count};
  return {even, odd};
}

Index place(Form form, Index n, Index lanes, Index line, Index k) {
  if (form == Form::columns) return k * outer * lanes + line;
  if (form == Form::lines || n == 1) return line * n + k;
  if (form == Form::parts) {
    const Index head = first_part(n);
    return k < head ? line * head + k : outer * lanes * head + line * (n - head) + k - head;
  }
  const Index even = (n + 1) / 2;
  return k % 2 == 0 ? line * even + k / 2 : outer * lanes * even + line * (n / 2) + k / 2;
}

// Elements, real or complex, of an array of reals.
template <class T>
std::complex<T> element(const std::vector<T>& array, bool real, Index i) {
  return real ? std::complex<T>(array[at(i)]) : std::complex<T>(array[at(2 * i)], array[at(2 * i + 1)]);
}

template <class T>
void put(std::vector<T>& array, bool real, Index i, const Exact& value) {
  array[at(real ? i : 2 * i)] = static_cast<T>(value.real());
  if (!real) array[at(2 * i + 1)] = static_cast<T>(value.imag());
}

template <class T>
void run(const Pass& pass, Direction direction, std::vector<T>& in, std::vector<T>& out, T scale) {
  run_pass<T>(pass, direction, in, out, scale);
}

struct Case {
  Kind kind;
  Index n;
  Index lanes;
  bool real_in, real_out;
  Index read() const { return kind == Kind::half_to_real ? n / 2 + 1 : n; }
  Index write() const { return kind == Kind::real_to_half ? n / 2 + 1 : n; }
  Index step() const { return n > 64 ? 37 : 1; }  // between the elements that are looked at
};

Case case_of(Kind kind, Index n, Index lanes, bool real = true) {
  return {kind, n, lanes, real && kind != Kind::half_to_real, real && kind != Kind::real_to_half};
}

Pass pass_of(const Case& c, Form from, Form to) {
  Pass pass{.kind = c.kind, .length = c.n, .loops = {outer, c.lanes}, .scaled = true};
  pass.sources = pieces(from, Buffer::in, c.real_in, c.read(), c.lanes);
  pass.targets = pieces(to, Buffer::out, c.real_out, c.write(), c.lanes);
  return pass;
}

// The lines, and what is expected of them.
struct Lines {
  std::vector<std::vector<Exact>> given, wanted;
  explicit Lines(const Case& c) {
    for (Index line = 0; line < outer * c.lanes; ++line) {
      given.push_back(random_values(c.read(), static_cast<unsigned>(7 * line + c.n)));
      wanted.push_back(reference_line(c.kind, c.n, given.back(), c.step()));
    }
  }
};

template <class T>
std::vector<T> filled(const Case& c, Form form, const Lines& lines) {
  std::vector<T> array(at(outer * c.lanes * c.read() * (c.real_in ? 1 : 2)));
  for (Index line = 0; line < outer * c.lanes; ++line)
    for (Index k = 0; k < c.read(); ++k)
      put(array, c.real_in, place(form, c.read(), c.lanes, line, k), lines.given[at(line)][at(k)]);
  return array;
}

template <class T>
T tolerance(Index n) {
  return std::numeric_limits<T>::epsilon() * static_cast<T>(4 + 2 * n);
}

template <class T>
void expect_line(const Case& c, Form form, const Lines& lines, const std::vector<T>& out, T scale) {
  for (Index line = 0; line < outer * c.lanes; ++line)
    for (Index k = 0; k < c.write(); k += c.step()) {
      Exact want = lines.wanted[at(line)][at(k / c.step())] * static_cast<long double>(scale);
      if (c.real_out) want = want.real();
      const std::complex<T> got = element(out, c.real_out, place(form, c.write(), c.lanes, line, k));
      ASSERT_LE(std::abs(got - static_cast<std::complex<T>>(want)), tolerance<T>(c.n))
          << "kind " << static_cast<int>(c.kind) << ", length " << c.n << ", line " << line << " of " << outer << "x"
          << c.lanes << ", element " << k << ", form " << static_cast<int>(form);
    }
}

template <class T>
void equals_definition(const Case& c, const std::vector<Form>& forms) {
  const Lines lines(c);
  for (const Form from : forms)
    for (const Form to : forms) {
      std::vector<T> in = filled<T>(c, from, lines);
      const std::vector<T> kept = in;
      std::vector<T> out(at(outer * c.lanes * c.write() * 2));
      run<T>(pass_of(c, from, to), Direction::forward, in, out, T(0.25));
      expect_line(c, to, lines, out, T(0.25));
      ASSERT_EQ(in, kept) << "kind " << static_cast<int>(c.kind) << ", length " << c.n;
    }
}

const std::vector<Form> all_forms{Form::lines, Form::columns, Form::halves};
const std::vector<Form> some_forms{Form::columns, Form::parts};

TEST(RealPass, halves_equal_the_definition_for_every_n_to_40_wherever_they_stand) {
  for (const Kind kind : {Kind::real_to_half, Kind::half_to_real})
    for (Index n = 1; n <= 40; ++n) {
      equals_definition<double>(case_of(kind, n, 5), all_forms);
      equals_definition<float>(case_of(kind, n, 7), all_forms);
    }
}

TEST(RealPass, halves_equal_the_definition_for_long_lines_and_many) {
  for (const Kind kind : {Kind::real_to_half, Kind::half_to_real}) {
    for (const Index n : {100, 101, 180, 256, 600}) equals_definition<double>(case_of(kind, n, 3), all_forms);
    for (const Index n : {22, 64, 100, 256}) {
      equals_definition<double>(case_of(kind, n, 21), {Form::lines, Form::parts, Form::columns});
      equals_definition<float>(case_of(kind, n, 35), {Form::lines, Form::parts});
    }
    for (const Index n : {96, 1200}) equals_definition<float>(case_of(kind, n, 9), {Form::lines});
    for (const Index n : {8, 14, 15}) equals_definition<double>(case_of(kind, n, 301), {Form::lines, Form::columns});
    for (const Index n : {1536, 2187}) equals_definition<double>(case_of(kind, n, 1), {Form::lines});
    equals_definition<double>(case_of(kind, 2048, 2), all_forms);
  }
}

TEST(RealPass, cosine_and_sine_transforms_equal_the_definition) {
  for (const Kind kind : r2r_kinds)
    for (Index n = kind == Kind::dct1 ? 2 : 1; n <= 40; ++n) {
      equals_definition<double>(case_of(kind, n, 3), all_forms);
      equals_definition<float>(case_of(kind, n, 2), {Form::columns});
    }
}

// Enough of them for vectors, and some more: short ones as complex numbers, others in pairs.
TEST(RealPass, cosine_and_sine_transforms_of_many_lines_equal_the_definition) {
  for (const Kind kind : r2r_kinds)
    for (const Index n : {2, 3, 7, 16, 43, 44, 64, 90, 101}) {
      equals_definition<double>(case_of(kind, n, 21), n < 64 ? all_forms : std::vector{Form::lines, Form::columns});
      equals_definition<float>(case_of(kind, n, 35), n < 64 ? some_forms : std::vector{Form::lines});
    }
}

TEST(RealPass, cosine_and_sine_transforms_take_real_and_imaginary_parts_alike) {
  for (const Kind kind : r2r_kinds)
    for (const Index n : {2, 3, 8, 21, 100}) {
      equals_definition<double>(case_of(kind, n, 3, false), all_forms);
      equals_definition<float>(case_of(kind, n, 18, false), {Form::lines, Form::columns});
      equals_definition<double>(case_of(kind, n, 11, false), {Form::columns});
    }
}

TEST(RealPass, works_in_place_where_its_lines_have_room_for_both_sides) {
  std::vector<Kind> kinds = r2r_kinds;
  kinds.insert(kinds.end(), {Kind::real_to_half, Kind::half_to_real});
  for (const Kind kind : kinds)
    for (const Index n : {2, 5, 8, 12, 60, 1152}) {
      const Case c = case_of(kind, n, 5);
      if (n > 60 && c.real_in == c.real_out) continue;  // their weights take too long
      const Lines lines(c);
      const Index room = 2 * (n / 2 + 1);  // reals
      Pass pass = pass_of(c, Form::lines, Form::lines);
      const auto in_place = [&](Piece& p) {
        p.buffer = Buffer::out;
        p.strides = {c.lanes * room / (p.real ? 1 : 2), room / (p.real ? 1 : 2)};
      };
      in_place(pass.sources[0]);
      in_place(pass.targets[0]);
      std::vector<double> data(at(outer * c.lanes * room)), unused(2);
      const auto spot = [&](bool real, Index line, Index k) { return line * room / (real ? 1 : 2) + k; };
      for (Index line = 0; line < outer * c.lanes; ++line)
        for (Index k = 0; k < c.read(); ++k)
          put(data, c.real_in, spot(c.real_in, line, k), lines.given[at(line)][at(k)]);
      run<double>(pass, Direction::backward, unused, data, 1);
      for (Index line = 0; line < outer * c.lanes; ++line)
        for (Index k = 0; k < c.write(); k += c.step()) {
          const Exact want =
              c.real_out ? lines.wanted[at(line)][at(k / c.step())].real() : lines.wanted[at(line)][at(k / c.step())];
          const std::complex<double> got = element(data, c.real_out, spot(c.real_out, line, k));
          ASSERT_LE(std::abs(got - static_cast<std::complex<double>>(want)), tolerance<double>(n))
              << static_cast<int>(kind) << " " << n << " " << line << " " << k;
        }
    }
}

// The factors of a half line are those of its n/2+1 elements, and follow the schedule's direction.
TEST(RealPass, multiplies_half_a_spectrum_by_twiddle_factors) {
  for (const Index n : {1, 5, 6, 16, 40, 1080})
    for (const Direction direction : {Direction::forward, Direction::backward})
      for (const int loop : {-1, 0, 1})
        for (const Form form : {Form::lines, Form::columns, Form::parts}) {
          const Case c = case_of(Kind::real_to_half, n, 21);
          Lines lines(c);
          Pass pass = pass_of(c, form, form);
          pass.twiddle = {.modulus = 12 * n, .shift = 5, .step = loop < 0 ? 0 : 3, .loop = loop};
          const std::vector<Exact> roots = roots_of_unity(12 * n, direction);
          for (Index line = 0; line < outer * c.lanes; ++line)
            for (Index k = 0; k < c.write(); k += c.step()) {
              const Index i = loop < 0 ? 0 : loop == 0 ? line / c.lanes : line % c.lanes;
              lines.wanted[at(line)][at(k / c.step())] *= roots[at(k * (5 + pass.twiddle.step * i) % (12 * n))];
            }
          std::vector<double> in = filled<double>(c, form, lines), out(at(outer * c.lanes * c.write() * 2));
          run<double>(pass, direction, in, out, 0.5);
          expect_line(c, form, lines, out, 0.5);
        }
}

// What a spectrum of reals cannot have is ignored, not added to some other output.
TEST(RealPass, imaginary_parts_of_the_ends_of_half_a_spectrum_are_ignored) {
  for (const Index n : {1, 2, 7, 8, 22, 48}) {
    const Case c = case_of(Kind::half_to_real, n, 4);
    Lines lines(c);
    std::vector<double> with = filled<double>(c, Form::lines, lines), first(at(outer * c.lanes * n)), second = first;
    std::vector<double> without = with;
    for (Index line = 0; line < outer * c.lanes; ++line) {
      without[at(2 * line * c.read() + 1)] = 0;
      if (n % 2 == 0) without[at(2 * line * c.read() + n + 1)] = 0;
    }
    run<double>(pass_of(c, Form::lines, Form::lines), Direction::backward, with, first, 1);
    run<double>(pass_of(c, Form::lines, Form::lines), Direction::backward, without, second, 1);
    EXPECT_EQ(first, second) << n;
  }
}

// The packing of two lines into one complex line would let the large one's errors into the small one.
TEST(RealPass, a_large_line_does_not_disturb_its_neighbours) {
  const Case c = case_of(Kind::real_to_half, 64, 4);
  Lines lines(c);
  std::vector<double> in = filled<double>(c, Form::lines, lines), out(at(outer * c.lanes * c.write() * 2));
  for (Index j = 0; j < c.n; ++j) in[at(j)] *= 1e20;
  for (Exact& x : lines.wanted[0]) x = 0;
  run<double>(pass_of(c, Form::lines, Form::lines), Direction::forward, in, out, 1);
  std::fill_n(out.begin(), 2 * c.write(), 0.0);
  expect_line(c, Form::lines, lines, out, 1.0);
}

TEST(RealPass, a_large_line_of_cosines_does_not_disturb_its_neighbours) {
  for (const Kind kind : r2r_kinds)
    for (const Form form : {Form::lines, Form::columns}) {
      const Case c = case_of(kind, 64, 16);
      Lines lines(c);
      std::vector<double> in = filled<double>(c, form, lines), out(at(outer * c.lanes * c.n));
      for (Index j = 0; j < c.n; ++j) in[at(place(form, c.n, c.lanes, 0, j))] *= 1e20;
      for (Exact& x : lines.wanted[0]) x = 0;
      run<double>(pass_of(c, form, form), Direction::forward, in, out, 1);
      for (Index j = 0; j < c.n; ++j) out[at(place(form, c.n, c.lanes, 0, j))] = 0;
      expect_line(c, form, lines, out, 1.0);
    }
}

TEST(RealPass, moves_reals_and_scales_them) {
  for (const Form from : all_forms)
    for (const Form to : all_forms) {
      const Case c = case_of(Kind::dct2, 11, 40);
      Lines lines(c);
      lines.wanted = lines.given;  // of short lines, all are looked at
      Pass pass = pass_of(c, from, to);
      pass.action = Action::move;
      std::vector<double> in = filled<double>(c, from, lines), out(at(outer * c.lanes * c.write()));
      run<double>(pass, Direction::forward, in, out, 0.5);
      expect_line(c, to, lines, out, 0.5);
    }
}

// Reals that begin in the middle of a complex number.
TEST(RealPass, reads_reals_at_odd_places_of_a_complex_buffer) {
  Pass pass{.kind = Kind::real_to_half, .length = 8, .loops = {2}};
  pass.sources = {{.buffer = Buffer::in, .offset = 3, .count = 8, .strides = {9}, .real = true}};
  pass.targets = {{.buffer = Buffer::out, .offset = 1, .count = 5, .strides = {5}}};
  std::vector<double> in(20), out(22);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<double>(i * i % 7);
  run<double>(pass, Direction::forward, in, out, 1);
  for (Index line = 0; line < 2; ++line) {
    const std::vector<Exact> want =
        reference_line(Kind::real_to_half, 8, {in.begin() + 3 + 9 * line, in.begin() + 11 + 9 * line});
    for (Index k = 0; k < 5; ++k)
      EXPECT_LE(std::abs(element(out, false, 1 + 5 * line + k) - static_cast<std::complex<double>>(want[at(k)])),
                1e-13);
  }
}

TEST(Pass, a_conjugated_move_scatters_conjugates_of_what_it_twiddled) {
  Pass pass{.action = Action::move, .length = 3, .loops = {2}, .twiddle = {.modulus = 4, .shift = 1}};
  pass.conjugated = pass.scaled = true;
  pass.sources = {{.buffer = Buffer::in, .count = 3, .stride = 2, .strides = {1}}};
  pass.targets = {{.buffer = Buffer::out, .offset = 2, .count = 3, .stride = -1, .strides = {3}}};
  std::vector<double> in{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, out(12);
  run<double>(pass, Direction::forward, in, out, 2);
  for (Index line = 0; line < 2; ++line)
    for (Index k = 0; k < 3; ++k) {
      const std::complex<double> root = k == 0 ? 1.0 : k == 1 ? std::complex<double>(0, -1) : -1.0;
      EXPECT_EQ(element(out, false, 3 * line + 2 - k), std::conj(2.0 * root * element(in, false, 2 * k + line)));
    }
}

}  // namespace
}  // namespace kallima::kernel
