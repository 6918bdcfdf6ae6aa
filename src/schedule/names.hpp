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

constexpr auto names(Buffer) { return NameList("buffer", "in", "out", "work", "inbox", "kept"); }
constexpr auto names(TaskKind) {
  return NameList("kind of task", "compute", "copy", "send_start", "send_finish", "recv_start", "recv_finish");
}
constexpr auto names(Action) {
  return NameList("action", "transform", "move", "sum", "apply", "encode", "decode", "fill", "multiply", "chirp");
}
constexpr auto names(Wire::Format) { return NameList("wire format", "same", "single", "shared exponent"); }
constexpr auto names(Data) { return NameList("data", "complex", "real"); }
constexpr auto names(Precision) { return NameList("precision", "single", "double", "long double"); }
constexpr auto names(Kind) {
  return NameList("kind of transform", "fourier", "real_to_half", "half_to_real", "dct1", "dct2", "dct3", "dct4",
                  "dst1", "dst2", "dst3", "dst4");
}
constexpr auto names(Aliasing) { return NameList("aliasing", "separate", "in_is_out"); }
constexpr auto names(Direction) { return NameList("direction", "forward", "backward"); }

std::string_view enum_name(auto value) {
  const auto all = names(value);
  require(at(value) < all.words.size(), "there is no {} number {} (an enumeration was cast from a wrong number)",
          all.what, at(value));
  return all.words[at(value)];
}

template <class E>
std::optional<E> enum_named(std::string_view word) {
  const auto all = names(E{});
  const auto found = std::ranges::find(all.words, word);
  return found == all.words.end() ? std::nullopt : std::optional(static_cast<E>(found - all.words.begin()));
}

}  // namespace kallima
