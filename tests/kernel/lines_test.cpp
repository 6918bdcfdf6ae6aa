// Lines of every kind and length against their definitions, summed in long doubles.

#include <gtest/gtest.h>

#include "kernel/line_fft.hpp"
#include "reference.hpp"

namespace kallima::kernel {
namespace {

// The factor of real j in result k, as FFTW defines them; `roots` are all of order 8 n, for n - 1 or n + 1 of type I.
long double term(Kind kind, Index n, Index j, Index k, const std::vector<Exact>& roots) {
  const Index order = static_cast<Index>(roots.size());
  const auto cosine = [&](Index part, Index whole) { return roots[at(part * (order / whole) % order)].real(); };
  const auto sine = [&](Index part, Index whole) { return -roots[at(part * (order / whole) % order)].imag(); };
  const bool edge = kind == Kind::dst3 ? j == n - 1 : j == 0 || (kind == Kind::dct1 && j == n - 1);
  const int both = (kind == Kind::dct1 || kind == Kind::dct3 || kind == Kind::dst3) && edge ? 1 : 2;
  switch (kind) {
    case Kind::dct1:
      return both * cosine(j * k, 2 * (n - 1));
    case Kind::dct2:
      return both * cosine((2 * j + 1) * k, 4 * n);
    case Kind::dct3:
      return both * cosine(j * (2 * k + 1), 4 * n);
    case Kind::dct4:
      return both * cosine((2 * j + 1) * (2 * k + 1), 8 * n);
    case Kind::dst1:
      return both * sine((j + 1) * (k + 1), 2 * (n + 1));
    case Kind::dst2:
      return both * sine((2 * j + 1) * (k + 1), 4 * n);
    case Kind::dst3:
      return both * sine((j + 1) * (2 * k + 1), 4 * n);
    default:
      return both * sine((2 * j + 1) * (2 * k + 1), 8 * n);
  }
}

// The lines that are checked stand among others; of these nothing may be written.
template <class T>
void check(const Lines& given) {
  Lines lines = given;
  const Index n = lines.length, room = 2 * n + 2;
  lines.pitch_in = lines.pitch_out = room + 6;
  lines.in_place = false;
  const bool complex = lines.kind == Kind::fourier, back = lines.kind == Kind::half_to_real;
  const Index read = complex ? 2 * n : back ? 2 * (n / 2 + 1) : n * lines.parts;
  const Index write = complex ? 2 * n : lines.kind == Kind::real_to_half ? 2 * (n / 2 + 1) : n * lines.parts;
  std::vector<T> in(at(lines.count * lines.pitch_in)), out(in.size(), T(77));
  const std::vector<Exact> random = random_values(static_cast<Index>(in.size()), 5);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<T>(random[i].real());
  if (back)
    for (Index b = 0; b < lines.count; ++b) {
      in[at(b * lines.pitch_in + 1)] = 0;
      if (n % 2 == 0) in[at(b * lines.pitch_in + n + 1)] = 0;
    }
  const auto fft = our_lines<T>(lines, Effort::estimate);
  std::vector<std::complex<T>> tile(at(fft->tile_elements() + 1), std::complex<T>(T(55)));
  (*fft)(in.data(), out.data(), tile.data());
  EXPECT_EQ(tile.back(), std::complex<T>(T(55))) << "beyond the tile";
  const std::vector<Exact>&roots = roots_of_unity(n, lines.direction), &forth = roots_of_unity(n, Direction::forward),
        &backs = roots_of_unity(n, Direction::backward);
  const Index waves_of = n + (lines.kind == Kind::dct1 ? -1 : lines.kind == Kind::dst1 ? 1 : 0);
  const std::vector<Exact>& waves = roots_of_unity(lines.kind >= Kind::dct1 ? 8 * waves_of : 1, Direction::forward);
  long double wrong = 0, right = 0;
  const Index stride = 1 + n / 150;  // of the results that are compared: each is n terms
  for (Index b = 0; b < lines.count; ++b) {
    const T* const x = &in[at(b * lines.pitch_in)];
    const T* const y = &out[at(b * lines.pitch_out)];
    const auto compare = [&](Index i, long double want) {
      wrong += (static_cast<long double>(y[i]) - want) * (static_cast<long double>(y[i]) - want);
      right += want * want;
    };
    for (Index k = 0; k < (write + 1) / 2 && (complex || lines.kind == Kind::real_to_half); k += stride) {
      Exact sum = 0;
      for (Index j = 0; j < n; ++j)
        sum += (complex ? Exact(x[2 * j], x[2 * j + 1]) : Exact(x[j])) * (complex ? roots : forth)[at(j * k % n)];
      compare(2 * k, sum.real());
      compare(2 * k + 1, sum.imag());
    }
    for (Index k = 0; back && k < n; ++k) {
      long double sum = static_cast<long double>(x[0]);
      for (Index j = 1; j < n; ++j) {
        const Index half = std::min(j, n - j);
        const Exact v(x[2 * half], half == j ? x[2 * half + 1] : -x[2 * half + 1]);
        sum += (v * backs[at(j * k % n)]).real();
      }
      compare(k, sum);
    }
    for (Index k = 0; lines.kind >= Kind::dct1 && k < n; ++k)
      for (Index part = 0; part < lines.parts; ++part) {
        long double sum = 0;
        for (Index j = 0; j < n; ++j)
          sum += static_cast<long double>(x[j * lines.parts + part]) * term(lines.kind, n, j, k, waves);
        compare(k * lines.parts + part, sum);
      }
    for (Index i = write; i < lines.pitch_out; ++i) ASSERT_EQ(y[i], T(77)) << "beyond line " << b << ", real " << i;
    for (Index i = 0; i < read; ++i)
      ASSERT_EQ(x[i], i == 1 && back                     ? T(0)
                      : back && n % 2 == 0 && i == n + 1 ? T(0)
                                                         : static_cast<T>(random[at(b * lines.pitch_in + i)].real()));
  }
  const long double precision = std::max<long double>(std::numeric_limits<T>::epsilon(), 0x1p-106L);  // that of Roots
  EXPECT_LE(std::sqrt(wrong), 8 * precision * std::sqrt(right))
      << "kind " << static_cast<int>(lines.kind) << ", " << lines.count << " lines of " << n;
}

template <class T>
void check_all(const std::vector<Index>& lengths) {
  for (const Index n : lengths)
    for (const Index count : {1 + n % 3, Index{9}}) {
      for (const Direction direction : {Direction::forward, Direction::backward})
        check<T>({.direction = direction, .length = n, .count = count});
      for (int kind = static_cast<int>(Kind::real_to_half); kind <= static_cast<int>(Kind::dst4); ++kind) {
        if (n == 1 && static_cast<Kind>(kind) == Kind::dct1) continue;  // there is none
        const Index parts = kind >= static_cast<int>(Kind::dct1) && n % 3 == 0 ? 2 : 1;
        check<T>({.kind = static_cast<Kind>(kind), .length = n, .count = count, .parts = parts});
      }
    }
}

std::vector<Index> up_to(Index most) {
  std::vector<Index> lengths;
  for (Index n = 1; n <= most; ++n) lengths.push_back(n);
  return lengths;
}

TEST(OurLines, equal_their_definitions) {
  check_all<double>(up_to(50));
  check_all<float>(up_to(33));
  check_all<long double>({1, 2, 3, 4, 7, 8, 15, 17, 24, 47});
}

TEST(OurLines, of_long_primes_and_their_multiples) {
  check_all<double>({59, 61, 67, 103, 134, 139, 167, 193});
  check_all<float>({61, 134, 167});
}

TEST(OurLines, that_are_long_are_done_one_by_one) {
  for (const Index n : {1031, 1056, 1458, 2048, 2187})
    for (const Index count : {1, 2}) check<double>({.direction = Direction::backward, .length = n, .count = count});
  check<float>({.length = 2310, .count = 3});
}

TEST(OurLines, of_reals_that_are_few_are_done_one_by_one) {
  for (const Index n : {1031, 1056}) {
    for (int kind = static_cast<int>(Kind::real_to_half); kind <= static_cast<int>(Kind::dst4); ++kind)
      check<double>({.kind = static_cast<Kind>(kind), .length = n, .count = 1});
    check<float>({.kind = Kind::dct4, .length = n, .count = 1, .parts = 2});
  }
  for (const Kind kind : {Kind::real_to_half, Kind::half_to_real})
    check<double>({.kind = kind, .length = 2048, .count = 2});
}

}  // namespace
}  // namespace kallima::kernel
