// Reads printed numbers digit by digit, since their exactness is in the digits and not in the value.

#include "lab/theory/printed.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "kallima/theory.hpp"

namespace kallima::theory {
namespace {

constexpr double slack = 1e-9;  // what arithmetic loses; no claim depends on it

double prefix_factor(char prefix) {
  const std::size_t thousands = std::string("kMGTPE").find(prefix);
  return thousands == std::string::npos ? 1 : std::pow(10, 3 * (static_cast<double>(thousands) + 1));
}

// How many powers of ten the last digit that counts stands above the units; negative behind the point.
int last_digit(const std::string& digits, bool separated) {
  const std::size_t point = digits.find('.');
  if (point != std::string::npos) return -static_cast<int>(digits.size() - point - 1);
  if (!separated) return 0;
  return static_cast<int>(digits.size() - 1 - std::min(digits.find_last_not_of('0'), digits.size() - 1));
}

}  // namespace

Printed read_printed(const std::string& text) {
  std::string digits = text;
  const bool separated = std::erase(digits, ',') > 0;
  const double factor = digits.ends_with('k') || digits.ends_with('M') ? prefix_factor(digits.back()) : 1;
  if (factor != 1) digits.pop_back();
  require(!digits.empty() && digits.find_first_not_of("0123456789.") == std::string::npos,
          "'{}' is no printed number (digits, a point, commas, k or M) correct the table", text);
  const double value = std::stod(digits) * factor;
  const double half = 0.5 * factor * std::pow(10, last_digit(digits, separated));
  return {value, {value - half, value + half}};
}

double unit_factor(const std::string& unit) { return unit.size() < 2 ? 1 : prefix_factor(unit[0]); }

std::string number_text(double value) {
  if (std::abs(value) < 1e4 || std::abs(value) >= 1e15) return fmt::format("{:.4g}", value);
  const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - 4);
  std::string digits = fmt::format("{:.0f}", std::abs(std::round(value / unit) * unit));
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return (value < 0 ? "-" : "") + digits;
}

Printed operator*(double factor, const Printed& number) {
  const auto& [value, bounds] = number;
  return {factor * value, {factor * bounds.low, factor * bounds.high}};
}

Printed operator/(double numerator, const Printed& number) {
  const auto& [value, bounds] = number;
  return {numerator / value, {numerator / bounds.high, numerator / bounds.low}};
}

Printed quotient(const Printed& a, const Printed& b) {
  return {a.value / b.value, {a.rounds_to_it.low / b.rounds_to_it.high, a.rounds_to_it.high / b.rounds_to_it.low}};
}

bool holds(Relation relation, const Printed& printed, double computed) {
  if (relation == Relation::above) return computed > printed.value * (1 + slack);
  if (relation == Relation::below) return computed < printed.value * (1 - slack);
  if (relation == Relation::magnitude) return std::abs(std::log10(computed / printed.value)) <= 0.5;
  return printed.rounds_to_it.low * (1 - slack) <= computed && computed <= printed.rounds_to_it.high * (1 + slack);
}

// Some number of the interval would do; all relations hold on an interval, so that its ends and the printed value tell.
bool may_hold(Relation relation, const Printed& printed, const Bounds& computed) {
  const double nearest = std::clamp(printed.value, computed.low, computed.high);
  return holds(relation, printed, computed.low) || holds(relation, printed, computed.high) ||
         holds(relation, printed, nearest);
}

}  // namespace kallima::theory
