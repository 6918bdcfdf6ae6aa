// tc reads "gbps" as gigabytes per second, and bare numbers as bits: both are refused here rather than explained later.

#include "app/link_rate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "app/options.hpp"

namespace kallima::cli {

namespace {

constexpr std::uint64_t lowest_rate = 1'000'000;         // slower, and a single segment takes long enough to be noticed
constexpr std::uint64_t highest_rate = 100'000'000'000;  // faster than any machine moves bytes between namespaces
constexpr std::uint64_t smallest_bucket = 16 * 1024;     // a few segments
constexpr std::uint64_t smallest_queue = 128 * 1024;     // two of the bundles in which TCP hands segments over
constexpr std::uint64_t most_burst_ms = 4;
constexpr std::uint64_t queue_ms = 20;

constexpr std::array<std::pair<const char*, double>, 4> units{
    {{"gbit", 1e9}, {"mbit", 1e6}, {"kbit", 1e3}, {"bit", 1.0}}};

double factor_of(std::string_view unit, const std::string& text) {
  for (const auto& [name, factor] : units)
    if (unit == name) return factor;
  throw UsageError(fmt::format(
      "--rate {} is not understood ('{}' is no unit of bits per second) write 500mbit, 2.5gbit or none", text, unit));
}

}  // namespace

std::uint64_t LinkRate::burst_bytes() const {
  const std::uint64_t ms = std::clamp<std::uint64_t>(bits_per_second / 1'000'000'000, 1, most_burst_ms);
  return std::max(smallest_bucket, bits_per_second / 8000 * ms);
}

std::uint64_t LinkRate::queue_bytes() const { return std::max(smallest_queue, bits_per_second / 8000 * queue_ms); }

std::string LinkRate::text() const {
  if (!limited()) return "none";
  for (const auto& [name, factor] : units)
    if (static_cast<double>(bits_per_second) >= factor)
      return fmt::format("{}{}", static_cast<double>(bits_per_second) / factor, name);
  return fmt::format("{}bit", bits_per_second);
}

std::string LinkRate::tc_text() const {
  return fmt::format("tbf rate {}bit burst {} limit {}", bits_per_second, burst_bytes(), burst_bytes() + queue_bytes());
}

LinkRate parse_rate(const std::string& text) {
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower == "none") return {};
  double number = 0;
  const auto [end, error] =
      std::from_chars(lower.data(), lower.data() + lower.size(), number, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(number))
    throw UsageError(
        fmt::format("--rate {} is not understood (it starts with no number) write 500mbit, 2.5gbit or none", text));
  const double bits = number * factor_of(std::string_view(end), text);
  if (!(bits >= static_cast<double>(lowest_rate) && bits <= static_cast<double>(highest_rate)))
    throw UsageError(fmt::format("--rate {} is out of range ({:.4g} bit/s) from 1mbit to 100gbit will do", text, bits));
  return {static_cast<std::uint64_t>(std::llround(bits))};
}

}  // namespace kallima::cli
