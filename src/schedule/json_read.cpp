// A Schedule from JSON. Members that are missing keep their defaults; unknown members, unknown words, wrong types and
// numbers that do not fit are errors that name the place, such as ranks[0].tasks[3].kind. Whether the schedule makes
// sense is for validate() to say.

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "kallima/schedule.hpp"
#include "schedule/fields.hpp"
#include "schedule/names.hpp"

namespace kallima {
namespace {

using nlohmann::json;

// Deeper loops than any planner writes; stops a hostile file from exhausting the stack.
constexpr int max_depth = 64;

struct JsonPath {
  std::string path;
  int depth = 0;
  JsonPath member(const std::string& word) const { return {path.empty() ? word : path + "." + word, depth + 1}; }
  JsonPath item(std::size_t i) const { return {fmt::format("{}[{}]", path, i), depth}; }
};

void expect_type(bool holds, const JsonPath& place, const char* wanted, const json& j) {
  require(holds, "bad schedule at {} (expected {}, found {})", place.path.empty() ? "the top" : place.path, wanted,
          j.type_name());
}

void read(const json& j, const JsonPath& place, Index& value) {
  expect_type(j.is_number_integer(), place, "a whole number", j);
  require(!j.is_number_unsigned() || j.get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<Index>::max()},
          "bad schedule at {} ({} does not fit 64 bits)", place.path, j.dump());
  value = j.get<Index>();
}

void read(const json& j, const JsonPath& place, int& value) {
  Index wide = 0;
  read(j, place, wide);
  require(wide >= std::numeric_limits<int>::min() && wide <= std::numeric_limits<int>::max(),
          "bad schedule at {} ({} does not fit 32 bits)", place.path, wide);
  value = static_cast<int>(wide);
}

void read(const json& j, const JsonPath& place, double& value) {
  expect_type(j.is_number(), place, "a number", j);
  value = j.get<double>();
}

void read(const json& j, const JsonPath& place, bool& value) {
  expect_type(j.is_boolean(), place, "true or false", j);
  value = j.get<bool>();
}

void read(const json& j, const JsonPath& place, std::string& value) {
  expect_type(j.is_string(), place, "a string", j);
  value = j.get<std::string>();
}

template <class E>
requires std::is_enum_v<E>
void read(const json& j, const JsonPath& place, E& value) {
  expect_type(j.is_string(), place, "a word", j);
  const std::optional<E> found = enum_named<E>(j.get_ref<const std::string&>());
  require(found.has_value(), "bad schedule at {} ({} is no {}) use one of {}", place.path, j.dump(), names<E>.what,
          fmt::join(names<E>.words, ", "));
  value = *found;
}

// Reads the members of an object that it is shown, and counts them to find those nobody asked for.
struct Members {
  const json& object;
  const JsonPath& place;
  std::vector<std::string> known = {};

  template <class T>
  void operator()(const char* member, T& value);
  void refuse_unknown() const;
};

void read(const json& j, const JsonPath& place, std::array<Index, 4>& sizes) {
  expect_type(j.is_object(), place, "an object", j);
  Members members{j, place};
  for (const Buffer b : buffers) members(std::string(name(b)).c_str(), sizes[static_cast<std::size_t>(b)]);
  members.refuse_unknown();
}

template <class T>
void read(const json& j, const JsonPath& place, std::vector<T>& values);

template <class T>
void read(const json& j, const JsonPath& place, std::optional<T>& value);

template <class T>
requires std::is_class_v<T>
void read(const json& j, const JsonPath& place, T& value) {
  expect_type(j.is_object(), place, "an object", j);
  require(place.depth <= max_depth, "bad schedule at depth {} (objects nest more than {} deep)", place.depth,
          max_depth);
  Members members{j, place};
  fields(members, value);
  members.refuse_unknown();
}

template <class T>
void read(const json& j, const JsonPath& place, std::vector<T>& values) {
  expect_type(j.is_array(), place, "an array", j);
  values.assign(j.size(), T{});
  for (std::size_t i = 0; i < j.size(); ++i) read(j[i], place.item(i), values[i]);
}

template <class T>
void read(const json& j, const JsonPath& place, std::optional<T>& value) {
  if (!j.is_null()) read(j, place, value.emplace());
}

template <class T>
void Members::operator()(const char* member, T& value) {
  known.emplace_back(member);
  const auto found = object.find(member);
  if (found != object.end()) read(*found, place.member(member), value);
}

void Members::refuse_unknown() const {
  for (const auto& [member, value] : object.items())
    require(std::find(known.begin(), known.end(), member) != known.end(),
            "bad schedule at {} (there is no such member) use one of {}", place.member(member).path,
            fmt::join(known, ", "));
}

json parse(const std::string& text) {
  try {
    return json::parse(text);
  } catch (const json::exception& e) {
    fail("the schedule is not JSON ({})", e.what());
  }
}

}  // namespace

Schedule schedule_from_json(const std::string& text) {
  Schedule schedule;
  read(parse(text), {}, schedule);
  return schedule;
}

}  // namespace kallima
