// Seconds are the only unit with prefixes. "node" is what simulations of butterflies count in, and is given its full
// name once, at the axis.

#include "draw/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "draw/scale.hpp"

namespace kallima {
namespace {

constexpr std::array<std::pair<double, const char*>, 4> prefixes{{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};

std::string seconds_text(double seconds) {
  for (const auto& [size, unit] : prefixes)
    if (seconds >= size) return fmt::format("{:.{}f} {}", seconds / size, seconds < 10 * size ? 2 : 1, unit);
  return "0 s";
}

}  // namespace

TimeScale time_scale(const std::string& unit, double longest) {
  if (unit == "node") return {1, "time in butterfly nodes"};
  if (unit != "s") return {1, fmt::format("time in {}s", unit)};
  for (const auto& [size, word] : prefixes)
    if (longest >= size) return {1 / size, fmt::format("time in {}", word)};
  return {1, "time in s"};
}

std::string duration_text(double duration, const std::string& unit) {
  if (unit == "s") return seconds_text(duration);
  const double shown = duration >= 1000 ? std::round(duration) : duration;
  return fmt::format("{} {}{}", number_text(shown), unit, shown == 1 ? "" : "s");
}

}  // namespace kallima
