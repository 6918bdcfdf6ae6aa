#include "kallima/tuning.hpp"

#include <charconv>
#include <cmath>

#include "base/check.hpp"

namespace kallima {
namespace {

constexpr std::size_t largest_piece = std::size_t{1} << 30;
constexpr int widest_window = 1 << 20;
constexpr double longest_poll = 1;  // seconds

struct Word {
  std::string name;
  std::string value;
  std::string all() const { return name + "=" + value; }
};

[[noreturn]] void refuse(const Word& word, const std::string& why) {
  fail("the tuning {} is not understood ({}) write for example piece=63k,send=4,receive=8,poll=200us,progress=polling",
       word.all(), why);
}

// A number and what stands behind it.
double number(const Word& word, std::string& unit) {
  double value = 0;
  const char* const end = word.value.data() + word.value.size();
  const auto [rest, error] = std::from_chars(word.value.data(), end, value);
  if (error != std::errc{} || !std::isfinite(value)) refuse(word, fmt::format("'{}' is no number", word.value));
  unit.assign(rest, end);
  return value;
}

double checked(const Word& word, double value, double least, double most) {
  if (value < least || value > most) refuse(word, fmt::format("{:g} to {:g} will do", least, most));
  return value;
}

std::size_t bytes(const Word& word) {
  std::string unit;
  const double value = number(word, unit);
  const double factor = unit.empty() ? 1 : unit == "k" ? 1024 : unit == "m" ? 1024 * 1024 : 0;
  if (factor == 0) refuse(word, fmt::format("'{}' is no unit of size, k and m are", unit));
  return static_cast<std::size_t>(checked(word, value * factor, 1, static_cast<double>(largest_piece)));
}

int window(const Word& word) {
  std::string unit;
  const double value = number(word, unit);
  if (!unit.empty() || value != std::floor(value)) refuse(word, "a window is a whole number");
  return static_cast<int>(checked(word, value, 1, widest_window));
}

double seconds(const Word& word) {
  std::string unit;
  const double value = number(word, unit);
  const double per_second = unit == "us" ? 1e6 : unit == "ms" ? 1e3 : 0;  // divided by, so that 50us is 50e-6 exactly
  if (per_second == 0) refuse(word, fmt::format("'{}' is no unit of time, us and ms are", unit));
  return checked(word, value / per_second, 1e-6, longest_poll);
}

ProgressBy progress(const Word& word) {
  if (word.value == "polling") return ProgressBy::polling;
  if (word.value == "thread") return ProgressBy::thread;
  refuse(word, "polling and thread make progress");
}

void apply(const Word& word, Tuning& tuning) {
  if (word.name == "piece")
    tuning.piece_bytes = bytes(word);
  else if (word.name == "send")
    tuning.send_window = window(word);
  else if (word.name == "receive")
    tuning.receive_window = window(word);
  else if (word.name == "poll")
    tuning.poll_seconds = seconds(word);
  else if (word.name == "progress")
    tuning.progress = progress(word);
  else
    refuse(word, fmt::format("'{}' cannot be tuned", word.name));
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
  for (std::size_t at = 0; at < settings.size();) {
    const std::size_t end = std::min(settings.find(',', at), settings.size());
    const std::string setting = settings.substr(at, end - at);
    const std::size_t equals = std::min(setting.find('='), setting.size());
    apply({setting.substr(0, equals), setting.substr(std::min(equals + 1, setting.size()))}, tuning);
    at = end + 1;
  }
  return tuning;
}

}  // namespace kallima
