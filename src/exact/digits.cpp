#include "exact/digits.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/check.hpp"
#include "kallima/modular.hpp"
#include "kernel/mod_p/residue_codelets.hpp"

namespace kallima {
namespace {

constexpr Index fewest_columns = 64;
constexpr std::uint64_t seven = (std::uint64_t{1} << 56) - 1;

// The least 2^a, 3 * 2^a, 5 * 2^a or 15 * 2^a, as rows and columns that are about as many.
TwistedShape shape_for(Index digits, int ranks) {
  TwistedShape best;
  for (const Index odd : {1, 3, 5, 15}) {
    Index twos = fewest_columns * fewest_columns;
    while (odd * twos < digits) twos *= 2;
    if (best.R > 1 && odd * twos >= best.points()) continue;
    Index Q = fewest_columns;
    while (Q * Q < odd * twos && Q < twos) Q *= 2;
    best = {.R = odd * twos / Q, .Q = Q};
  }
  const Index eighths = best.Q / 8;  // of seven bytes eight digits are whole words
  best.block = (eighths + ranks - 1) / ranks * 8;
  return best;
}

double bits_of_sum(Index terms, double bits_of_product) {
  return bits_of_product + std::log2(static_cast<double>(terms));
}

// The digit that stands at this byte.
std::uint64_t seven_bytes(const std::byte* at) {
  std::uint64_t digit = 0;
  std::memcpy(&digit, at, 7);
  return digit;
}

}  // namespace

void check_lengths(Index words_a, Index words_b) {
  require(words_a > 0 && words_b > 0 && words_a < (Index{1} << 40) && words_b < (Index{1} << 40),
          "factors of {} and {} words cannot be multiplied (1 to 2^40 - 1 are): say how long they may be", words_a,
          words_b);
}

// Signed words have one digit more than a number has words, and their products at most 2^126.
DigitPlan plan_digits(Index words_a, Index words_b, int ranks, const IntegerOptions& options) {
  check_lengths(words_a, words_b);
  const Index fewer = std::min(words_a, words_b);
  const double of_words = bits_of_sum(fewer + 1, 126) + 1 + 1e-6;
  DigitPlan plan;
  if (options.base == WordBase::decimal) {
    plan.kind = DigitKind::decimal;
    plan.primes = primes_for(bits_of_sum(fewer, 2 * std::log2(static_cast<double>(decimal_word))) + 1e-6);
    plan.shape = shape_for(words_a + words_b, ranks);
    return plan;
  }
  if (options.digits == DigitLength::automatic && of_words < Crt(3).bits()) {
    plan.shape = shape_for(words_a + words_b + 1, ranks);
    return plan;
  }
  const auto digits = [](Index words) { return (8 * words + 6) / 7; };
  plan.kind = DigitKind::seven_bytes;
  plan.primes = primes_for(bits_of_sum(digits(fewer), 112) + 1e-6);
  plan.shape = shape_for(digits(words_a) + digits(words_b) + 1, ranks);
  return plan;
}

// A carry leaves a word from 2^63 on, and one below that where one comes in: no rank needs more than one of another.
void make_signed(Transport& transport, std::span<const std::uint64_t> words, std::span<std::uint64_t> digits) {
  constexpr std::uint64_t top = std::uint64_t{1} << 63;
  const auto convert = [&](std::uint64_t carry) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::uint64_t word = words[i];
      digits[i] = word + carry;
      carry = word >= top || (word == top - 1 && carry == 1) ? 1 : 0;
    }
    return carry;
  };
  const bool passes_on = std::ranges::all_of(words, [](std::uint64_t w) { return w == top - 1; });
  std::uint64_t leaves = 0;
  for (std::size_t i = words.size(); i-- > 0;)
    if (words[i] != top - 1) {
      leaves = words[i] >= top ? 1 : 0;
      break;
    }
  const std::vector<CarryMap> maps = gathered(
      transport, CarryMap{{0, static_cast<std::int8_t>(leaves), static_cast<std::int8_t>(passes_on ? 1 : leaves)}});
  int carry = 0;
  for (int rank = 0; rank < transport.rank(); ++rank) carry = maps[at(rank)](carry);
  convert(static_cast<std::uint64_t>(carry));
}

void make_residues(DigitKind kind, std::span<const std::uint64_t> words, std::uint64_t prime, std::span<double> to) {
  constexpr std::size_t at_once = 256;
  const kernel::PrimeField field(prime);
  const double shift = field.centred((std::uint64_t{1} << 32) % prime);
  const auto* const bytes = reinterpret_cast<const std::byte*>(words.data());
  double high[at_once], low[at_once];
  for (std::size_t first = 0; first < to.size(); first += at_once) {
    const std::size_t count = std::min(at_once, to.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t digit =
          kind == DigitKind::seven_bytes ? seven_bytes(bytes + 7 * (first + i)) : words[first + i];
      high[i] = static_cast<double>(static_cast<std::int64_t>(digit) >> 32);
      low[i] = static_cast<double>(digit & 0xffffffff);
    }
    kernel::residue_codelets().join(high, low, shift, to.data() + first, static_cast<Index>(count), field.modulus());
  }
}

namespace {

// What is left of x, which becomes the quotient; x is not negative and below 2^188.
std::uint64_t divide_by_decimal_word(Wide& x) {
  Uint128 rest = x[2] % decimal_word;
  x[2] /= decimal_word;
  for (const std::size_t i : {1, 0}) {
    rest = rest << 64 | x[i];
    x[i] = static_cast<std::uint64_t>(rest / decimal_word);
    rest %= decimal_word;
  }
  return static_cast<std::uint64_t>(rest);
}

std::uint64_t largest_digit(DigitKind kind) {
  if (kind == DigitKind::decimal) return decimal_word - 1;
  return kind == DigitKind::word ? ~std::uint64_t{0} : seven;
}

}  // namespace

void RunCarry::add(std::span<const Wide> numbers, std::uint64_t* digits) {
  const auto sign = [](std::uint64_t word) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(word) >> 63);
  };
  for (const Wide& number : numbers) {
    sum_ = plus(sum_, number);
    if (kind_ == DigitKind::word) {
      *digits++ = sum_[0];
      sum_ = {sum_[1], sum_[2], sum_[3], sign(sum_[3])};
    } else if (kind_ == DigitKind::decimal) {
      *digits++ = divide_by_decimal_word(sum_);
    } else {
      *digits++ = sum_[0] & seven;
      for (std::size_t i = 0; i < 3; ++i) sum_[i] = sum_[i] >> 56 | sum_[i + 1] << 8;
      sum_[3] = sum_[3] >> 56 | sign(sum_[3]) << 8;
    }
  }
}

// Only digits that are signed while they are multiplied carry less than nothing.
int add_to_run(DigitKind kind, std::span<std::uint64_t> digits, Int128 carry) {
  const Int128 base = Int128{largest_digit(kind)} + 1;
  for (std::size_t i = 0; i < digits.size() && carry != 0; ++i) {
    const Int128 low = kind == DigitKind::decimal ? carry % base : carry & (base - 1);
    const Int128 sum = low + digits[i], over = sum >= base ? 1 : 0;
    digits[i] = static_cast<std::uint64_t>(sum - over * base);
    carry = (carry - low) / base + over;
  }
  return static_cast<int>(carry);
}

CarryMap carry_map(DigitKind kind, std::span<const std::uint64_t> digits, int carried_out) {
  const auto all_are = [&](std::uint64_t value) {
    return std::ranges::all_of(digits, [&](std::uint64_t d) { return d == value; });
  };
  return {{static_cast<std::int8_t>(carried_out - (all_are(0) ? 1 : 0)), static_cast<std::int8_t>(carried_out),
           static_cast<std::int8_t>(carried_out + (all_are(largest_digit(kind)) ? 1 : 0))}};
}

void pack_digits(DigitKind kind, std::span<const std::uint64_t> digits, std::span<std::uint64_t> words) {
  if (kind != DigitKind::seven_bytes) {
    std::ranges::copy(digits, words.begin());
    return;
  }
  auto* to = reinterpret_cast<std::byte*>(words.data());
  for (const std::uint64_t digit : digits) {
    std::memcpy(to, &digit, 7);
    to += 7;
  }
}

}  // namespace kallima
