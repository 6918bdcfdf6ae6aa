// A block is brought into a small array first, filled up with zeros, so that every loop has a fixed length the compiler
// can vectorise; only the packing of bits goes number by number.

#include "kernel/wire_codec.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "kernel/wire_block.hpp"

namespace kallima::kernel {
namespace {

constexpr std::int16_t all_zero = std::numeric_limits<std::int16_t>::min();
constexpr std::int16_t no_number = std::numeric_limits<std::int16_t>::max();

template <class T>
using Work = std::conditional_t<(sizeof(T) < sizeof(double)), double, T>;
template <class T>
using Block = std::array<Work<T>, block_reals>;

template <class T>
Block<T> taken(std::span<const T> reals) {
  Block<T> x{};
  if (reals.size() == block_reals)
    std::copy_n(reals.begin(), block_reals, x.begin());
  else
    std::copy(reals.begin(), reals.end(), x.begin());
  return x;
}

// Mantissas stay below 2^(bits-1): rounded up to it, the largest double there is would come back as infinity.
template <class W>
void quantise(const std::array<W, block_reals>& x, int bits, int exponent, Mantissas& q, WireErrors& errors) {
  const PowerOfTwo<W> scale(bits - 1 - exponent);
  const W top = static_cast<W>((std::int64_t{1} << (bits - 1)) - 1);
  std::array<W, block_reals> scaled, differences;
  for (std::size_t i = 0; i < block_reals; ++i) {
    scaled[i] = scale.times(x[i]);
    const W above = scaled[i] > top ? top : scaled[i];
    q[i] = nearest(above < -top ? -top : above);
    differences[i] = scaled[i] - static_cast<W>(q[i]);
  }
  errors.add(squares(differences), squares(scaled), exponent - (bits - 1));
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
  unpack(from + sizeof exponent, reals.size(), bits, q);
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

// Where squares are well within the range of a double, as they are; otherwise in units of the largest number.
template <class W>
void add_errors(std::array<W, block_reals>& x, std::array<float, block_reals>& y, WireErrors& errors) {
  std::array<W, block_reals> differences;
  for (std::size_t i = 0; i < block_reals; ++i) differences[i] = x[i] - static_cast<W>(y[i]);
  const double difference = squares(differences), total = squares(x);
  if (total > 1e-200 && total < 1e300 && difference < 1e300) return errors.add(difference, total, 0);
  leave_out(x, y, errors);
  const W largest = magnitude(x);
  if (largest == 0) return;
  const int exponent = exponent_of(largest);
  const PowerOfTwo<W> scale(-exponent);
  for (std::size_t i = 0; i < block_reals; ++i) {
    x[i] = scale.times(x[i]);
    differences[i] = x[i] - scale.times(static_cast<W>(y[i]));
  }
  errors.add(squares(differences), squares(x), exponent);
}

template <class T>
void encode_single(std::span<const T> reals, std::byte* to, WireErrors& errors) {
  Block<T> x = taken(reals);
  std::array<float, block_reals> y;
  for (std::size_t i = 0; i < block_reals; ++i) y[i] = static_cast<float>(x[i]);
  std::memcpy(to, y.data(), reals.size() * sizeof(float));
  add_errors(x, y, errors);
}

template <class T>
void decode_single(const std::byte* from, std::span<T> reals) {
  std::array<float, block_reals> y;
  std::memcpy(y.data(), from, reals.size() * sizeof(float));
  for (std::size_t i = 0; i < reals.size(); ++i) reals[i] = static_cast<T>(y[i]);
}

}  // namespace

void Squares::add_far(double more, int its_exponent) {
  if (more == 0) return;
  if (sum == 0) exponent = its_exponent;
  const int apart = its_exponent - exponent;
  if (apart > 0) {
    sum = std::ldexp(sum, -2 * apart);
    exponent = its_exponent;
  }
  sum += apart < 0 ? std::ldexp(more, 2 * apart) : more;
}

void WireErrors::add(const WireErrors& other) {
  difference.add(other.difference);
  total.add(other.total);
  lost = lost || other.lost;
}

double WireErrors::relative() const {
  if (lost) return std::numeric_limits<double>::infinity();
  if (total.sum == 0) return 0;
  return std::ldexp(std::sqrt(difference.sum / total.sum), difference.exponent - total.exponent);
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
