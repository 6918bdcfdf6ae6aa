#pragma once
// A rank's own part, as whole numbers without sign whose order is that of what they stand for. Sorted digit by digit
// from the lowest, eight bits at a time, which touches memory in order; digits that all numbers share are passed over.

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <type_traits>

#include "kallima/memory.hpp"

namespace kallima {

template <class T>
using KeyOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// Negative numbers backwards, positive ones behind them; NaNs with a sign, which would come first, go around to the
// end.
template <class T>
KeyOf<T> key_of(T value) {
  using Key = KeyOf<T>;
  constexpr Key sign = Key{1} << (8 * sizeof(T) - 1);
  const Key bits = std::bit_cast<Key>(value);
  if constexpr (std::is_floating_point_v<T>) {
    constexpr Key nans = sizeof(T) == 4 ? Key{0x7fffff} : static_cast<Key>(0xfffffffffffffu);
    return static_cast<Key>(((bits & sign) != 0 ? ~bits : bits | sign) - nans);
  } else {
    return std::is_signed_v<T> ? bits ^ sign : bits;
  }
}

template <class T>
T value_of_key(KeyOf<T> key) {
  using Key = KeyOf<T>;
  constexpr Key sign = Key{1} << (8 * sizeof(T) - 1);
  if constexpr (std::is_floating_point_v<T>) {
    constexpr Key nans = sizeof(T) == 4 ? Key{0x7fffff} : static_cast<Key>(0xfffffffffffffu);
    key = static_cast<Key>(key + nans);
    return std::bit_cast<T>((key & sign) != 0 ? key ^ sign : ~key);
  } else {
    return std::bit_cast<T>(std::is_signed_v<T> ? key ^ sign : key);
  }
}

template <class Key>
void sort_locally(std::span<Key> keys) {
  constexpr std::size_t few = 4096, digits = sizeof(Key), values = 256;
  if (keys.size() < few) return std::sort(keys.begin(), keys.end());
  std::array<std::array<std::size_t, values>, digits> counts{};
  for (const Key key : keys)
    for (std::size_t d = 0; d < digits; ++d) ++counts[d][(key >> (8 * d)) % values];
  Array<Key> other(static_cast<Index>(keys.size()));
  std::span<Key> from = keys, to = other.span();
  for (std::size_t d = 0; d < digits; ++d) {
    if (std::ranges::find(counts[d], keys.size()) != counts[d].end()) continue;
    std::array<std::size_t, values> place{};
    for (std::size_t v = 1; v < values; ++v) place[v] = place[v - 1] + counts[d][v - 1];
    for (const Key key : from) to[place[(key >> (8 * d)) % values]++] = key;
    std::swap(from, to);
  }
  if (from.data() != keys.data()) std::ranges::copy(from, keys.begin());
}

}  // namespace kallima
