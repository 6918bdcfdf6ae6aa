#pragma once
// Numbers as they stand in files into those that are computed with.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>

#include "base/check.hpp"
#include "kallima/array_file.hpp"

namespace kallima {

struct HalfNumber {  // IEEE 754's binary16
  std::uint16_t bits;
  explicit operator double() const {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    if (exponent == 31) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
    return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
  }
};

// The next number in a file; of complex ones each half is turned around.
template <class Number>
Number loaded(const std::byte* from, ByteOrder order) {
  std::array<std::byte, sizeof(Number)> bytes;
  std::copy_n(from, bytes.size(), bytes.begin());
  if (order == ByteOrder::big) std::ranges::reverse(bytes);
  Number number;
  std::memcpy(&number, bytes.data(), bytes.size());
  return number;
}

// From the front on: `from` may be the end of the memory of `to`, since what is written never overtakes what is read.
template <class Number, class Item>
void convert(const std::byte* from, ByteOrder order, Data data, std::span<Item> to) {
  using Real = decltype(std::abs(Item()));
  const auto next = [&](const std::byte* at) {
    return static_cast<Real>(
        static_cast<std::conditional_t<std::is_class_v<Number>, double, Number>>(loaded<Number>(at, order)));
  };
  for (Item& item : to) {
    if constexpr (std::is_floating_point_v<Item>) {
      item = next(from);
    } else {
      const Real real = next(from);
      item = data == Data::complex_ ? Item(real, next(from + sizeof(Number))) : Item(real);
    }
    from += sizeof(Number) * (data == Data::complex_ ? 2 : 1);
  }
}

template <class Item>
void convert_numbers(const ArrayHeader& header, const std::byte* from, std::span<Item> to) {
  const auto as = [&]<class Number>(Number) { convert<Number>(from, header.bytes, header.data, to); };
  switch (header.stored) {
    case Stored::floating:
      return header.precision == Precision::single_ ? as(float()) : as(double());
    case Stored::half:
      return as(HalfNumber{});
    case Stored::int8:
      return as(std::int8_t());
    case Stored::int16:
      return as(std::int16_t());
    case Stored::int32:
      return as(std::int32_t());
    case Stored::int64:
      return as(std::int64_t());
    case Stored::uint8:
      return as(std::uint8_t());
    case Stored::uint16:
      return as(std::uint16_t());
    case Stored::uint32:
      return as(std::uint32_t());
    case Stored::uint64:
      return as(std::uint64_t());
    case Stored::boolean:
      return as(std::uint8_t());
  }
}

}  // namespace kallima
