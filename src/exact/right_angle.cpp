#include "exact/right_angle.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "exact/digits.hpp"
#include "kernel/roots.hpp"

namespace kallima {
namespace {

// The words of a number that is one half of the base in every digit repeat themselves.
std::vector<std::uint64_t> halves_of(int bits) {
  std::vector<std::uint64_t> words(at(bits / std::gcd(64, bits)));
  for (std::size_t bit = at(bits) - 1; bit < 64 * words.size(); bit += at(bits))
    words[bit / 64] |= std::uint64_t{1} << bit % 64;
  return words;
}

// Eight bytes hold any digit that begins in the first of them.
template <int bits>
void digits_of(const std::uint64_t* words, Index count, double* digits) {
  constexpr std::int64_t base = std::int64_t{1} << bits;
  const auto* const bytes = reinterpret_cast<const std::byte*>(words);
  for (Index i = 0; i < count; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + i * bits / 8, sizeof word);
    digits[i] = static_cast<double>(static_cast<std::int64_t>(word >> (i * bits % 8) & (base - 1)) - base / 2);
  }
}

// Words of two runs, whose carries have nothing to do with each other and so need not wait; what is carried out of
// each.
template <int bits>
std::array<std::int64_t, 2> words_of(const std::array<const std::int64_t*, 2>& digits, Index count,
                                     const std::array<std::uint64_t*, 2>& words) {
  constexpr std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  constexpr int together = 64 / std::gcd(64, bits);
  std::array<std::int64_t, 2> sums{};
  for (Index first = 0, to = 0; first < count; first += together, to += together * bits / 64) {
    std::array<std::uint64_t, 2> word{};
#pragma GCC unroll 32
    for (int i = 0; i < together; ++i) {
      const int bit = i * bits % 64;
      for (const std::size_t k : {0, 1}) {
        sums[k] += digits[k][first + i];
        const std::uint64_t digit = static_cast<std::uint64_t>(sums[k]) & mask;
        sums[k] >>= bits;
        word[k] |= digit << bit;
        if (bit + bits < 64) continue;
        words[k][to + i * bits / 64] = word[k];
        word[k] = bit + bits > 64 ? digit >> (64 - bit) : 0;
      }
    }
  }
  return sums;
}

template <class Function>
auto with_bits(int bits, const Function& f) {
  switch (bits) {
    case 12:
      return f(std::integral_constant<int, 12>());
    case 14:
      return f(std::integral_constant<int, 14>());
    case 16:
      return f(std::integral_constant<int, 16>());
    case 18:
      return f(std::integral_constant<int, 18>());
    default:
      return f(std::integral_constant<int, 20>());
  }
}

// Adding 2^52 + 2^51 leaves a whole number in the lower bits.
constexpr double to_whole = 0x1.8p52;

// (x + i y) times the conjugate of w, rounded. The largest distance; as bits, whose order is that of magnitudes, so
// that it vectorises.
double round_row(const std::complex<double>* points, std::complex<double> w, Index count, std::int64_t* low,
                 std::int64_t* high) {
  const auto* const p = reinterpret_cast<const double*>(points);
  const double c = w.real(), s = w.imag();
  std::int64_t furthest = 0;
  for (Index i = 0; i < count; ++i) {
    const double re = p[2 * i] * c + p[2 * i + 1] * s, im = p[2 * i + 1] * c - p[2 * i] * s;
    const double low_whole = (re + to_whole) - to_whole, high_whole = (im + to_whole) - to_whole;
    low[i] = static_cast<std::int64_t>(low_whole);
    high[i] = static_cast<std::int64_t>(high_whole);
    const auto low_off = std::bit_cast<std::int64_t>(std::abs(re - low_whole));
    const auto high_off = std::bit_cast<std::int64_t>(std::abs(im - high_whole));
    const std::int64_t off = low_off > high_off ? low_off : high_off;
    furthest = off > furthest ? off : furthest;
  }
  return std::bit_cast<double>(furthest);
}

}  // namespace

// Whether a block of words carries is decided at its top, but for words that pass a carry on.
void add_halves(Transport& transport, int bits, std::span<const std::uint64_t> words, std::span<std::uint64_t> biased) {
  const std::vector<std::uint64_t> halves = halves_of(bits);
  std::int8_t leaves = 0, passes_on = 1;
  for (std::size_t i = words.size(); i-- > 0;) {
    const std::uint64_t sum = words[i] + halves[i % halves.size()];
    if (sum == ~std::uint64_t{0}) continue;
    leaves = sum < words[i] ? 1 : 0;
    passes_on = leaves;
    break;
  }
  const std::vector<CarryMap> maps = gathered(transport, CarryMap{{0, leaves, passes_on}});
  int in = 0;
  for (int rank = 0; rank < transport.rank(); ++rank) in = maps[at(rank)](in);
  auto carry = static_cast<std::uint64_t>(in);
  for (std::size_t first = 0; first < words.size(); first += halves.size())
    for (std::size_t i = 0; i < std::min(halves.size(), words.size() - first); ++i) {
      const std::uint64_t sum = words[first + i] + halves[i], with_carry = sum + carry;
      carry = (sum < halves[i] ? 1 : 0) | (with_carry < sum ? 1 : 0);
      biased[first + i] = with_carry;
    }
}

RightAngle::RightAngle(const RoundingPlan& plan, Index columns) : plan_(plan), columns_(columns) {
  const kernel::Roots roots(4 * plan.shape.R());
  for (Index row = 0; row < plan.shape.R(); ++row) weights_.push_back(std::conj(roots.as<double>(row)));
}

void RightAngle::split(std::span<const std::uint64_t> words, bool upper, std::span<Complex> points) const {
  std::vector<double> real(at(columns_)), imaginary(at(columns_));
  for (Index row = 0; row < plan_.shape.R(); ++row) {
    const std::uint64_t* const low = words.data() + row * row_words();
    const std::uint64_t* const high = low + plan_.shape.R() * row_words();
    with_bits(plan_.bits, [&](auto bits) {
      digits_of<bits>(low, columns_, real.data());
      if (upper) digits_of<bits>(high, columns_, imaginary.data());
    });
    const double c = weights_[at(row)].real(), s = weights_[at(row)].imag();
    auto* const to = reinterpret_cast<double*>(points.data() + place(row));
    const double *const x = real.data(), *const y = imaginary.data();
    for (Index i = 0; i < columns_; ++i) {
      to[2 * i] = x[i] * c - y[i] * s;
      to[2 * i + 1] = x[i] * s + y[i] * c;
    }
  }
}

double RightAngle::join(std::span<const Complex> points, std::span<std::uint64_t> words,
                        std::span<Int128> carries) const {
  const Index R = plan_.shape.R();
  std::vector<std::int64_t> low(at(columns_)), high(at(columns_));
  double furthest = 0;
  for (Index row = 0; row < R && columns_ > 0; ++row) {
    const Complex scaled = weights_[at(row)] / static_cast<double>(plan_.shape.points());
    const double off = round_row(points.data() + place(row), scaled, columns_, low.data(), high.data());
    furthest = std::max(furthest, off);
    with_bits(plan_.bits, [&](auto bits) {
      std::uint64_t* const to = words.data() + row * row_words();
      const auto out = words_of<bits>({low.data(), high.data()}, columns_, {to, to + R * row_words()});
      carries[at(row)] = out[0];
      carries[at(R + row)] = out[1];
    });
  }
  return furthest;
}

}  // namespace kallima
