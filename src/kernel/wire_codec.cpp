// A block is brought into a small array first, filled up with zeros, so that every loop has a fixed length the compiler
// can vectorise; only the packing of bits goes number by number. Powers of two are applied as two factors, since one
// may be out of range where the number it is applied to is not.

#include "kernel/wire_codec.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace kallima::kernel {
namespace {

static_assert(std::endian::native == std::endian::little);
constexpr auto block_reals = static_cast<std::size_t>(wire_block);
constexpr std::int16_t all_zero = std::numeric_limits<std::int16_t>::min();
constexpr std::int16_t no_number = std::numeric_limits<std::int16_t>::max();

template <class T>
using Work = std::conditional_t<(sizeof(T) < sizeof(double)), double, T>;
template <class T>
using Block = std::array<Work<T>, block_reals>;
using Mantissas = std::array<std::int64_t, block_reals>;

// The largest magnitude; infinity if one of them is no finite number.
template <class W>
W magnitude(const std::array<W, block_reals>& x) {
  if constexpr (sizeof(W) == sizeof(std::uint64_t)) {  // as integers, which compare in any order, NaN included
    std::uint64_t largest = 0;
    for (const W v : x) largest = std::max(largest, std::bit_cast<std::uint64_t>(v) & ~(std::uint64_t{1} << 63));
    const W result = std::bit_cast<W>(largest);
    return std::isfinite(result) ? result : std::numeric_limits<W>::infinity();
  } else {
    W largest = 0;
    for (const W v : x) {
      if (!std::isfinite(v)) return std::numeric_limits<W>::infinity();
      largest = std::max(largest, std::abs(v));
    }
    return largest;
  }
}

template <class W>
int exponent_of(W magnitude) {
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  return exponent;
}

template <class W>
struct PowerOfTwo {
  explicit PowerOfTwo(int exponent) : a(std::ldexp(W{1}, exponent / 2)), b(std::ldexp(W{1}, exponent - exponent / 2)) {}
  W times(W x) const { return x * a * b; }
  W a, b;
};

// To the nearest, ties to even. Added to 1.5 * 2^52 a double has its integer in its last bits.
template <class W>
std::int64_t nearest(W x) {
  constexpr double anchor = 0x1.8p52;
  if constexpr (std::is_same_v<W, double>)
    return std::bit_cast<std::int64_t>(x + anchor) - std::bit_cast<std::int64_t>(anchor);
  else
    return std::llrint(x);
}

// Four sums, because one would have to be added up in order.
class BlockSums {
 public:
  template <class W>
  void add(std::size_t i, W difference, W value) {
    const auto d = static_cast<double>(difference), v = static_cast<double>(value);
    differences_[i % 4] += d * d;
    values_[i % 4] += v * v;
  }
  void finish(int exponent, WireErrors& errors) const {
    errors.difference.add((differences_[0] + differences_[1]) + (differences_[2] + differences_[3]), exponent);
    errors.total.add((values_[0] + values_[1]) + (values_[2] + values_[3]), exponent);
  }

 private:
  std::array<double, 4> differences_{};
  std::array<double, 4> values_{};
};

void pack(const Mantissas& q, std::size_t count, int bits, std::byte* to) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::uint64_t word = 0;
  int filled = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t v = static_cast<std::uint64_t>(q[i]) & mask;
    word |= v << filled;
    filled += bits;
    if (filled < 64) continue;
    std::memcpy(to, &word, sizeof word);
    to += sizeof word;
    filled -= 64;
    word = v >> (bits - filled);
  }
  std::memcpy(to, &word, static_cast<std::size_t>((filled + 7) / 8));
}

void unpack(const std::byte* from, std::size_t bytes, int bits, Mantissas& q) {
  std::array<std::byte, block_reals * sizeof(std::uint64_t)> words{};  // a number is read as the 8 bytes it begins in
  std::memcpy(words.data(), from, bytes);
  for (std::size_t i = 0; i < block_reals; ++i) {
    const std::size_t at = i * static_cast<std::size_t>(bits);
    std::uint64_t word = 0;
    std::memcpy(&word, words.data() + at / 8, sizeof word);
    q[i] = static_cast<std::int64_t>(word >> (at % 8) << (64 - bits)) >> (64 - bits);
  }
}

template <class T>
Block<T> taken(std::span<const T> reals) {
  Block<T> x{};
  std::copy(reals.begin(), reals.end(), x.begin());
  return x;
}

std::size_t packed_bytes(int bits, std::size_t count) { return (count * static_cast<std::size_t>(bits) + 7) / 8; }

// Mantissas stay below 2^(bits-1): rounded up to it, the largest double there is would come back as infinity.
template <class W>
void quantise(const std::array<W, block_reals>& x, int bits, int exponent, Mantissas& q, WireErrors& errors) {
  const PowerOfTwo<W> scale(bits - 1 - exponent);
  const W top = static_cast<W>((std::int64_t{1} << (bits - 1)) - 1);
  BlockSums sums;
  for (std::size_t i = 0; i < block_reals; ++i) {
    const W scaled = scale.times(x[i]);
    const W above = scaled > top ? top : scaled;
    q[i] = nearest(above < -top ? -top : above);
    sums.add(i, scaled - static_cast<W>(q[i]), scaled);
  }
  sums.finish(exponent - (bits - 1), errors);
}

template <class T>
void encode_shared(int bits, std::span<const T> reals, std::byte* to, WireErrors& errors) {
  const Block<T> x = taken(reals);
  const Work<T> largest = magnitude(x);
  Mantissas q{};
  std::int16_t exponent = all_zero;
  if (!std::isfinite(largest)) {
    exponent = no_number;
    errors.lost = errors.lost || std::any_of(reals.begin(), reals.end(), [](T v) { return std::isfinite(v); });
  } else if (largest > 0) {
    exponent = static_cast<std::int16_t>(exponent_of(largest));
    quantise(x, bits, exponent, q, errors);
  }
  std::memcpy(to, &exponent, sizeof exponent);
  pack(q, reals.size(), bits, to + sizeof exponent);
}

template <class T>
void decode_shared(int bits, const std::byte* from, std::span<T> reals) {
  std::int16_t exponent = 0;
  std::memcpy(&exponent, from, sizeof exponent);
  if (exponent == all_zero || exponent == no_number)
    return std::fill(reals.begin(), reals.end(), exponent == all_zero ? T{0} : std::numeric_limits<T>::quiet_NaN());
  Mantissas q{};
  unpack(from + sizeof exponent, packed_bytes(bits, reals.size()), bits, q);
  const PowerOfTwo<Work<T>> step(exponent - (bits - 1));
  Block<T> x;
  for (std::size_t i = 0; i < block_reals; ++i) x[i] = step.times(static_cast<Work<T>>(q[i]));
  for (std::size_t i = 0; i < reals.size(); ++i) reals[i] = static_cast<T>(x[i]);
}

// Numbers that are none, and those too large for a float, are in no sum.
template <class W>
void leave_out(std::array<W, block_reals>& x, std::array<float, block_reals>& y, WireErrors& errors) {
  for (std::size_t i = 0; i < block_reals; ++i) {
    if (std::isfinite(y[i])) continue;
    errors.lost = errors.lost || std::isfinite(x[i]);
    x[i] = 0;
    y[i] = 0;
  }
}

template <class T>
void encode_single(std::span<const T> reals, std::byte* to, WireErrors& errors) {
  Block<T> x = taken(reals);
  std::array<float, block_reals> y;
  for (std::size_t i = 0; i < block_reals; ++i) y[i] = static_cast<float>(x[i]);
  std::memcpy(to, y.data(), reals.size() * sizeof(float));
  Work<T> largest = magnitude(x);
  if (largest > std::numeric_limits<float>::max()) {
    leave_out(x, y, errors);
    largest = magnitude(x);
  }
  if (!(largest > 0)) return;
  const int exponent = exponent_of(largest);
  const PowerOfTwo<Work<T>> scale(-exponent);
  BlockSums sums;
  for (std::size_t i = 0; i < block_reals; ++i)
    sums.add(i, scale.times(x[i] - static_cast<Work<T>>(y[i])), scale.times(x[i]));
  sums.finish(exponent, errors);
}

template <class T>
void decode_single(const std::byte* from, std::span<T> reals) {
  std::array<float, block_reals> y;
  std::memcpy(y.data(), from, reals.size() * sizeof(float));
  for (std::size_t i = 0; i < reals.size(); ++i) reals[i] = static_cast<T>(y[i]);
}

}  // namespace

std::size_t encoded_bytes(const Wire& wire, std::size_t reals) {
  if (wire.format == Wire::Format::single) return reals * sizeof(float);
  const std::size_t rest = reals % block_reals, exponent = sizeof(std::int16_t);
  return reals / block_reals * (exponent + packed_bytes(wire.bits, block_reals)) +
         (rest == 0 ? 0 : exponent + packed_bytes(wire.bits, rest));
}

template <class T>
void encode(const Wire& wire, std::span<const T> reals, std::byte* to, WireErrors& errors) {
  for (std::size_t at = 0; at < reals.size(); at += block_reals) {
    const std::span<const T> block = reals.subspan(at, std::min(block_reals, reals.size() - at));
    wire.format == Wire::Format::single ? encode_single(block, to, errors)
                                        : encode_shared(wire.bits, block, to, errors);
    to += encoded_bytes(wire, block.size());
  }
}

template <class T>
void decode(const Wire& wire, const std::byte* from, std::span<T> reals) {
  for (std::size_t at = 0; at < reals.size(); at += block_reals) {
    const std::span<T> block = reals.subspan(at, std::min(block_reals, reals.size() - at));
    wire.format == Wire::Format::single ? decode_single(from, block) : decode_shared(wire.bits, from, block);
    from += encoded_bytes(wire, block.size());
  }
}

template void encode(const Wire&, std::span<const float>, std::byte*, WireErrors&);
template void encode(const Wire&, std::span<const double>, std::byte*, WireErrors&);
template void encode(const Wire&, std::span<const long double>, std::byte*, WireErrors&);
template void decode(const Wire&, const std::byte*, std::span<float>);
template void decode(const Wire&, const std::byte*, std::span<double>);
template void decode(const Wire&, const std::byte*, std::span<long double>);

}  // namespace kallima::kernel
