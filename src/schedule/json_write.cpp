// A Schedule as JSON: objects with the members' own names, enumerations as words, buffer sizes in an object by buffer.
// Every member is written, defaults too, so that a file can be read without this library at hand.

#include <nlohmann/json.hpp>

#include "kallima/schedule.hpp"
#include "schedule/fields.hpp"
#include "schedule/names.hpp"

namespace kallima {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::same_as<T, std::string>;

template <class T>
concept Enumeration = std::is_enum_v<T>;

Json json(const Plain auto& value) { return value; }

Json json(const Enumeration auto& value) { return enum_name(value); }

Json json(const std::array<Index, 4>& sizes) {
  Json object = Json::object();
  for (const Buffer b : buffers) object[std::string(name(b))] = sizes[static_cast<std::size_t>(b)];
  return object;
}

template <class T>
Json json(const std::vector<T>& values);

template <class T>
Json json(const T& value);

template <class T>
Json json(const std::optional<T>& value) {
  return value ? json(*value) : Json();
}

template <class T>
Json json(const T& value) {
  Json object = Json::object();
  fields([&object](const char* member, const auto& part) { object[member] = json(part); }, value);
  return object;
}

template <class T>
Json json(const std::vector<T>& values) {
  Json array = Json::array();
  for (const T& value : values) array.push_back(json(value));
  return array;
}

}  // namespace

std::string to_json(const Schedule& schedule) {
  try {
    return json(schedule).dump(1) + "\n";
  } catch (const nlohmann::json::exception& e) {
    fail("the schedule cannot be written as JSON ({}) use names and labels in UTF-8", e.what());
  }
}

}  // namespace kallima
