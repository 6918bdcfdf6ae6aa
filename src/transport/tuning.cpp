#include "kallima/tuning.hpp"

#include <cmath>

#include "base/check.hpp"
#include "base/text.hpp"

namespace kallima {
namespace {

constexpr std::size_t largest_piece = std::size_t{1} << 30;
constexpr int widest_window = 1 << 20;
constexpr double longest_poll = 1;  // seconds

struct Setting {
  std::string name;
  std::string value;
};

[[noreturn]] void refuse(const Setting& setting, const std::string& why) {
  fail(
      "the tuning {}={} is not understood ({}) write for example "
      "piece=63k,send=4,receive=8,poll=200us,progress=polling",
      setting.name, setting.value, why);
}

// A number and what stands behind it.
std::pair<double, std::string> number(const Setting& setting) {
  double value = 0;
  const char* const end = setting.value.data() + setting.value.size();
  const auto [unit, error] = std::from_chars(setting.value.data(), end, value);
  if (error != std::errc{} || !std::isfinite(value)) refuse(setting, fmt::format("'{}' is no number", setting.value));
  return {value, {unit, end}};
}

double checked(const Setting& setting, double value, double least, double most) {
  if (value < least || value > most) refuse(setting, fmt::format("{:g} to {:g} will do", least, most));
  return value;
}

std::size_t bytes(const Setting& setting) {
  const auto [value, unit] = number(setting);
  const double factor = unit.empty() ? 1 : unit == "k" ? 1024 : unit == "m" ? 1024 * 1024 : 0;
  if (factor == 0) refuse(setting, fmt::format("'{}' is no unit of size, k and m are", unit));
  return at(checked(setting, value * factor, 1, static_cast<double>(largest_piece)));
}

int window(const Setting& setting) {
  const auto [value, unit] = number(setting);
  if (!unit.empty() || value != std::floor(value)) refuse(setting, "a window is a whole number");
  return static_cast<int>(checked(setting, value, 1, widest_window));
}

double seconds(const Setting& setting) {
  const auto [value, unit] = number(setting);
  const double per_second = unit == "us" ? 1e6 : unit == "ms" ? 1e3 : 0;  // divided by, so that 50us is 50e-6 exactly
  if (per_second == 0) refuse(setting, fmt::format("'{}' is no unit of time, us and ms are", unit));
  return checked(setting, value / per_second, 1e-6, longest_poll);
}

ProgressBy progress(const Setting& setting) {
  if (setting.value == "polling") return ProgressBy::polling;
  if (setting.value == "thread") return ProgressBy::thread;
  refuse(setting, "polling and thread make progress");
}

void apply(const Setting& setting, Tuning& tuning) {
  if (setting.name == "piece")
    tuning.piece_bytes = bytes(setting);
  else if (setting.name == "send")
    tuning.send_window = window(setting);
  else if (setting.name == "receive")
    tuning.receive_window = window(setting);
  else if (setting.name == "poll")
    tuning.poll_seconds = seconds(setting);
  else if (setting.name == "progress")
    tuning.progress = progress(setting);
  else
    refuse(setting, fmt::format("'{}' cannot be tuned", setting.name));
}

std::string size_text(std::size_t bytes) {
  if (bytes % (1024 * 1024) == 0) return fmt::format("{}m", bytes / (1024 * 1024));
  return bytes % 1024 == 0 ? fmt::format("{}k", bytes / 1024) : fmt::format("{}", bytes);
}

}  // namespace

std::string text(const Tuning& t) {
  return fmt::format("piece={},send={},receive={},poll={:g}us,progress={}", size_text(t.piece_bytes), t.send_window,
                     t.receive_window, std::round(t.poll_seconds * 1e9) / 1e3,
                     t.progress == ProgressBy::polling ? "polling" : "thread");
}

Tuning tuned(const std::string& settings, Tuning tuning) {
  if (settings.empty()) return tuning;
  for (const std::string& setting : split(settings, ',')) {
    const std::size_t equals = std::min(setting.find('='), setting.size());
    apply({setting.substr(0, equals), setting.substr(std::min(equals + 1, setting.size()))}, tuning);
  }
  return tuning;
}

}  // namespace kallima
