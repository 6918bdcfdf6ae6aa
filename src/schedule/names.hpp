#pragma once
// The names of a Schedule's enumerations, in one place for text, JSON and errors alike.

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/check.hpp"
#include "kallima/schedule.hpp"

namespace kallima {

template <class... Words>
struct NameList {
  constexpr explicit NameList(std::string_view name, Words... all) : what(name), words{all...} {}
  std::string_view what;
  std::array<std::string_view, sizeof...(Words)> words;  // in the order of the enumerators
};

template <class E>
inline constexpr auto names = NameList("unnamed enumeration");
template <>
inline constexpr auto names<Buffer> = NameList("buffer", "in", "out", "work", "inbox");
template <>
inline constexpr auto names<TaskKind> = NameList("kind of task", "compute", "copy", "send_start", "send_finish",
                                                 "recv_start", "recv_finish");
template <>
inline constexpr auto names<Action> = NameList("action", "transform", "move", "sum", "apply", "encode", "decode");
template <>
inline constexpr auto names<Wire::Format> = NameList("wire format", "same", "single", "shared exponent");
template <>
inline constexpr auto names<Data> = NameList("data", "complex", "real");
template <>
inline constexpr auto names<Precision> = NameList("precision", "single", "double", "long double");
template <>
inline constexpr auto names<Kind> = NameList("kind of transform", "fourier", "real_to_half", "half_to_real", "dct1",
                                             "dct2", "dct3", "dct4", "dst1", "dst2", "dst3", "dst4");
template <>
inline constexpr auto names<Direction> = NameList("direction", "forward", "backward");

template <class E>
std::string_view enum_name(E value) {
  const auto number = static_cast<std::size_t>(value);
  require(number < names<E>.words.size(), "there is no {} number {} (an enumeration was cast from a wrong number)",
          names<E>.what, number);
  return names<E>.words[number];
}

template <class E>
std::optional<E> enum_named(std::string_view word) {
  const auto& words = names<E>.words;
  const auto found = std::ranges::find(words, word);
  if (found == words.end()) return std::nullopt;
  return static_cast<E>(found - words.begin());
}

}  // namespace kallima
