// Reads printed numbers digit by digit, since their exactness is in the digits and not in the value.

#include "lab/theory/printed.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace kallima::theory {

namespace {

constexpr double slack = 1e-9;  // what arithmetic loses; no claim depends on it

double suffix_factor(char suffix) { return suffix == 'k' ? 1e3 : suffix == 'M' ? 1e6 : 1; }

bool has(const std::string& text, char c) { return text.find(c) != std::string::npos; }

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
  digits.erase(std::remove(digits.begin(), digits.end(), ','), digits.end());
  const double factor = digits.empty() ? 1 : suffix_factor(digits.back());
  if (factor != 1) digits.pop_back();
  require(!digits.empty() && digits.find_first_not_of("0123456789.") == std::string::npos,
          "'{}' is no printed number (digits, a point, commas, k or M) correct the table", text);
  const double value = std::stod(digits) * factor;
  const double half = 0.5 * factor * std::pow(10, last_digit(digits, has(text, ',')));
  return {value, {value - half, value + half}};
}

double unit_factor(const std::string& unit) {
  if (unit.size() < 2) return 1;
  switch (unit[0]) {
    case 'k':
      return 1e3;
    case 'M':
      return 1e6;
    case 'G':
      return 1e9;
    case 'T':
      return 1e12;
    case 'P':
      return 1e15;
    case 'E':
      return 1e18;
    default:
      return 1;
  }
}

std::string number_text(double value) {
  if (std::abs(value) < 1e4 || std::abs(value) >= 1e15) return fmt::format("{:.4g}", value);
  const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - 4);
  const std::string digits = fmt::format("{:.0f}", std::abs(std::round(value / unit) * unit));
  std::string text = value < 0 ? "-" : "";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

Printed quotient(const Printed& a, const Printed& b) {
  return {a.value / b.value, {a.rounds_to_it.low / b.rounds_to_it.high, a.rounds_to_it.high / b.rounds_to_it.low}};
}

bool holds(Relation relation, const Printed& printed, double computed) {
  switch (relation) {
    case Relation::above:
      return computed > printed.value * (1 + slack);
    case Relation::below:
      return computed < printed.value * (1 - slack);
    case Relation::magnitude:
      return std::abs(std::log10(computed / printed.value)) <= 0.5;
    case Relation::equal:
      break;
  }
  return printed.rounds_to_it.low * (1 - slack) <= computed && computed <= printed.rounds_to_it.high * (1 + slack);
}

// Some number of the interval would do; all relations hold on an interval, so that its ends and the printed value tell.
bool may_hold(Relation relation, const Printed& printed, const Interval& computed) {
  const double nearest = std::clamp(printed.value, computed.low, computed.high);
  return holds(relation, printed, computed.low) || holds(relation, printed, computed.high) ||
         holds(relation, printed, nearest);
}

}  // namespace kallima::theory
