// A Schedule as JSON and back: objects with the members' own names, enumerations as words, buffer sizes in an object by
// buffer. Every member is written, defaults too, so that a file can be read without this library at hand. When it is
// read, members that are missing keep their defaults; unknown members, unknown words, wrong types and numbers that do
// not fit are errors that name the place, such as ranks[0].tasks[3].kind. Whether the schedule makes sense is for
// validate() to say.

#include <algorithm>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>

#include "schedule/names.hpp"

namespace kallima {
namespace {

using nlohmann::json;
using Json = nlohmann::ordered_json;

// Every member of a Schedule by name, listed once: writer and reader are both visitors of these lists, so neither can
// forget what the other knows. A visitor is called with a member's name and the member itself.
template <class T, class U>
concept Like = std::same_as<std::remove_const_t<T>, U>;

template <class V>
void fields(V&& visit, Like<std::array<Index, 4>> auto& sizes) {  // by buffer
  for (const Buffer b : buffers) visit(std::string(name(b)).c_str(), sizes[static_cast<std::size_t>(b)]);
}

#define KALLIMA_VISIT(member) visit(#member, it.member);
#define KALLIMA_FIELDS(Type, ...)                                         \
  template <class V>                                                      \
  void fields(V&& visit, Like<Type> auto& it) {                           \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(KALLIMA_VISIT, __VA_ARGS__)) \
  }

KALLIMA_FIELDS(Range, buffer, offset, count, real)
KALLIMA_FIELDS(Piece, buffer, recv, offset, first, count, every, stride, strides, real)
KALLIMA_FIELDS(Twiddle, modulus, shift, step, loop)
KALLIMA_FIELDS(Wire, format, bits)
KALLIMA_FIELDS(Pass, action, kind, length, sources, targets, loops, twiddle, scaled, conjugated, reversed, wire)
KALLIMA_FIELDS(Step, repeat, body, pass)
KALLIMA_FIELDS(Task, kind, label, chunk, peer, tag, range, start, after, steps, flops, elements)
KALLIMA_FIELDS(RankSchedule, rank, sizes, data_in, data_out, padding_out, tasks)
KALLIMA_FIELDS(Purpose, shape_in, shape_out, layout_in, layout_out, precision, scale)
KALLIMA_FIELDS(Schedule, name, direction, exchanges, purpose, ranks)
#undef KALLIMA_FIELDS
#undef KALLIMA_VISIT

template <class T>
Json written(const std::vector<T>& values);
template <class T>
Json written(const std::optional<T>& value);

template <class T>
Json written(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return enum_name(value);
  } else if constexpr (std::is_arithmetic_v<T> || std::same_as<T, std::string>) {
    return value;
  } else {
    Json object = Json::object();
    fields([&object](const char* member, const auto& part) { object[member] = written(part); }, value);
    return object;
  }
}

template <class T>
Json written(const std::optional<T>& value) {
  return value ? written(*value) : Json();
}

template <class T>
Json written(const std::vector<T>& values) {
  Json array = Json::array();
  for (const T& value : values) array.push_back(written(value));
  return array;
}

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

std::string to_json(const Schedule& schedule) {
  try {
    return written(schedule).dump(1) + "\n";
  } catch (const nlohmann::json::exception& e) {
    fail("the schedule cannot be written as JSON ({}) use names and labels in UTF-8", e.what());
  }
}

Schedule schedule_from_json(const std::string& text) {
  Schedule schedule;
  read(parse(text), {}, schedule);
  return schedule;
}

}  // namespace kallima
