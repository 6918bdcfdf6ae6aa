#pragma once
// A value of a JSON file together with the way to it, so that whatever is not as expected is an error that names the
// place, such as ranks[0].tasks[3].kind. Schedules and traces are read with it.

#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>

#include "schedule/names.hpp"

namespace kallima {

struct Located {
  const nlohmann::json& value;
  const char* file;  // what it is the JSON of: "schedule"
  std::string path = {};
  int depth = 0;

  const nlohmann::json& wants(bool holds, const char* wanted) const {
    if (holds) return value;
    const bool shown = value.is_primitive() && !value.is_null();
    fail("bad {} at {} (expected {}, found {}{}) give a file that kallima wrote", file, path.empty() ? "the top" : path,
         wanted, value.type_name(), shown ? " " + value.dump(-1, ' ', true) : "");
  }
  bool has(const std::string& member) const { return value.is_object() && value.contains(member); }
  Located at(const std::string& member) const {
    wants(value.is_object(), "an object");
    require(has(member), "bad {} at {} (there is no member {}) give a file that kallima wrote", file,
            path.empty() ? "the top" : path, member);
    return {value[member], file, path.empty() ? member : path + "." + member, depth + 1};
  }
  Located at(std::size_t i) const { return {value[i], file, fmt::format("{}[{}]", path, i), depth}; }
  std::size_t items() const { return wants(value.is_array(), "an array").size(); }
};

template <std::signed_integral Int>
void read(const Located& place, Int& number) {
  const nlohmann::json& j = place.wants(place.value.is_number_integer(), "a whole number");
  constexpr std::uint64_t largest = std::numeric_limits<Index>::max();
  const bool fits = !j.is_number_unsigned() || j.get<std::uint64_t>() <= largest;
  place.wants(fits && std::in_range<Int>(j.get<Index>()), sizeof(Int) > 4 ? "one of 64 bits" : "one of 32 bits");
  number = j.get<Int>();
}

inline void read(const Located& p, double& number) { p.wants(p.value.is_number(), "a number").get_to(number); }
inline void read(const Located& p, bool& flag) { p.wants(p.value.is_boolean(), "true or false").get_to(flag); }
inline void read(const Located& p, std::string& text) { p.wants(p.value.is_string(), "a string").get_to(text); }

template <class E>
requires std::is_enum_v<E>
void read(const Located& place, E& word) {
  const std::optional<E> found =
      enum_named<E>(place.wants(place.value.is_string(), "a word").get_ref<const std::string&>());
  require(found.has_value(), "bad {} at {} ({} is no {}) use one of {}", place.file, place.path, place.value.dump(),
          names(word).what, fmt::join(names(word).words, ", "));
  word = *found;
}

template <class T>
T as(const Located& place) {
  T value{};
  read(place, value);
  return value;
}

inline nlohmann::json parse_json(const char* file, const std::string& text) {
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& e) {
    fail("the {} is not JSON ({}) give a file that kallima wrote", file, e.what());
  }
}

}  // namespace kallima
