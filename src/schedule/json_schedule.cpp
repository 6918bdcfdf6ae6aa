// A Schedule as JSON and back: objects with the members' own names, enumerations as words, buffer sizes in an object by
// buffer. Every member is written, defaults too, so that a file can be read without this library at hand. When it is
// read, members that are missing keep their defaults; unknown members, unknown words, wrong types and numbers that do
// not fit are errors. Nobody gets a schedule whose numbers lead nowhere: what is read is checked like any other, but
// for the proof of what it does to memory, which takes more than reading does and is for validate() to give.

#include <algorithm>

#include "schedule/checks.hpp"
#include "schedule/json_reader.hpp"

namespace kallima {
namespace {

using Json = nlohmann::ordered_json;

// Every member of a Schedule by name, listed once: writer and reader are both visitors of these lists, so neither can
// forget what the other knows. A visitor is called with a member's name and the member itself.
template <class T, class U>
concept Like = std::same_as<std::remove_const_t<T>, U>;

void fields(auto&& visit, Like<BufferSizes> auto& sizes) {  // by buffer
  for (const Buffer b : buffers) visit(std::string(name(b)).c_str(), sizes[at(b)]);
}

#define KALLIMA_VISIT(member) visit(#member, it.member);
#define KALLIMA_FIELDS(Type, ...)                                         \
  void fields(auto&& visit, Like<Type> auto& it) {                        \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(KALLIMA_VISIT, __VA_ARGS__)) \
  }

KALLIMA_FIELDS(Range, buffer, offset, count, real)
KALLIMA_FIELDS(Piece, buffer, recv, offset, first, count, every, stride, strides, real)
KALLIMA_FIELDS(Twiddle, modulus, shift, step, loop)
KALLIMA_FIELDS(Wire, format, bits)
KALLIMA_FIELDS(Pass, action, kind, length, sources, targets, loops, twiddle, phase, scaled, conjugated, reversed,
               divisor, wire)
KALLIMA_FIELDS(Step, repeat, body, pass)
KALLIMA_FIELDS(Task, kind, label, chunk, peer, tag, range, start, after, steps, flops, elements)
KALLIMA_FIELDS(RankSchedule, rank, sizes, data_in, data_out, padding_out, tasks)
KALLIMA_FIELDS(Purpose, shape_in, shape_out, layout_in, layout_out, precision, scale)
KALLIMA_FIELDS(Schedule, name, direction, exchanges, aliasing, purpose, ranks, preparation)
#undef KALLIMA_FIELDS
#undef KALLIMA_VISIT

template <class T>
Json written(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return enum_name(value);
  } else if constexpr (std::is_arithmetic_v<T> || std::same_as<T, std::string>) {
    return value;
  } else if constexpr (requires { value.has_value(); }) {
    return value ? written(*value) : Json();
  } else if constexpr (requires { typename T::allocator_type; }) {
    Json array = Json::array();
    for (const auto& item : value) array.push_back(written(item));
    return array;
  } else {
    Json object = Json::object();
    fields([&object](const char* member, const auto& part) { object[member] = written(part); }, value);
    return object;
  }
}

// Deeper loops than any planner writes; stops a hostile file from exhausting the stack.
constexpr int max_depth = 64;

template <class T>
requires std::is_class_v<T>
void read(const Located& place, T& value);

template <class T>
void read_object(const Located& place, T& value) {
  place.wants(place.value.is_object(), "an object");
  require(place.depth <= max_depth, "bad schedule at depth {} (objects nest more than {} deep)", place.depth,
          max_depth);
  std::vector<std::string> known;
  const auto read_member = [&](const char* member, auto& part) {
    known.emplace_back(member);
    if (place.has(member)) read(place.at(member), part);
  };
  fields(read_member, value);
  for (const auto& [member, part] : place.value.items())
    require(std::ranges::find(known, member) != known.end(),
            "bad schedule at {} (there is no such member) use one of {}", place.at(member).path,
            fmt::join(known, ", "));
}

template <class T>
requires std::is_class_v<T>
void read(const Located& place, T& value) {
  if constexpr (requires { value.has_value(); }) {
    if (!place.value.is_null()) read(place, value.emplace());
  } else if constexpr (requires { typename T::allocator_type; }) {
    value = T(place.items());
    for (std::size_t i = 0; i < value.size(); ++i) read(place.at(i), value[i]);
  } else {
    read_object(place, value);
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
  read({parse_json("schedule", text), "schedule"}, schedule);
  checks::check_text(schedule, schedule.aliasing);
  return schedule;
}

}  // namespace kallima
