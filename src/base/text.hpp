#pragma once
// Texts that people write, taken apart and read as numbers; words for choices; a hash that is the same everywhere.

#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kallima {

// All parts between separators, empty ones, too; of an empty text one.
inline std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {  // nothing unless all of the text is one
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

constexpr const char* word_for(auto choice, std::initializer_list<const char*> words) {  // of an enumeration, in order
  return words.begin()[static_cast<int>(choice)];
}

constexpr std::uint64_t hash(std::string_view text, std::uint64_t h = 14695981039346656037u) {  // FNV-1a
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return h;
}

}  // namespace kallima
