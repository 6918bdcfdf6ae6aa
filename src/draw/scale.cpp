// Ticks are computed as whole multiples of a step, never by adding steps up, so that 0.3 is not 0.30000000000000004.

#include "draw/scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace kallima {
namespace {

constexpr double slack = 1e-9;  // of a step or a decade: ends that rounding pushed just outside

double round_step(double span, int wanted) {
  const double rough = span / std::max(wanted, 1);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double digits = rough / power;
  return power * (digits <= 1 ? 1 : digits <= 2 ? 2 : digits <= 5 ? 5 : 10);
}

std::string grouped(const std::string& digits) {
  std::string all;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) all += ',';
    all += digits[i];
  }
  return all;
}

Ruler widened(double low, double high, double step) {
  return {.low = std::floor(low / step + slack) * step, .high = std::ceil(high / step - slack) * step};
}

Ruler decades(double low, double high) {
  const double first = std::floor(std::log10(low) + slack), last = std::ceil(std::log10(high) - slack);
  return {.low = std::pow(10, first), .high = std::pow(10, std::max(last, first + 1)), .scale = Scale::logarithmic};
}

}  // namespace

std::string number_text(double value) {
  const double size = std::abs(value);
  if (value == 0) return "0";
  if (size < 1e-4 || size >= 1e9) return fmt::format("{:.4g}", value);
  if (size == std::floor(size) && size >= 10000)
    return fmt::format("{}{}", value < 0 ? "-" : "", grouped(fmt::format("{:.0f}", size)));
  return fmt::format("{:.6g}", value);
}

std::vector<double> round_ticks(double low, double high, int wanted) {
  if (!(high > low)) return {low};
  const double step = round_step(high - low, wanted);
  std::vector<double> all;
  const double first = std::ceil(low / step - slack);
  for (int i = 0; i <= 2 * wanted && (first + i) * step <= high + slack * step; ++i)
    all.push_back(step < 1 ? (first + i) / std::round(1 / step) : (first + i) * step);
  return all;
}

std::vector<double> decade_ticks(double low, double high) {
  const double first = std::floor(std::log10(low)), last = std::ceil(std::log10(high));
  std::vector<double> powers, all;
  for (double e = first; e <= last; ++e)
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double tick = digit * std::pow(10, e);
      if (tick < low * (1 - slack) || tick > high * (1 + slack)) continue;
      all.push_back(tick);
      if (digit == 1) powers.push_back(tick);
    }
  return powers.size() >= 4 ? powers : all;
}

double Ruler::place(double value) const {
  const auto measure = [&](double v) { return scale == Scale::linear ? v : std::log10(v); };
  const double span = measure(high) - measure(low);
  return span > 0 ? from + (to - from) * (measure(value) - measure(low)) / span : from;
}

std::vector<double> Ruler::ticks(int wanted) const {
  return scale == Scale::linear ? round_ticks(low, high, wanted) : decade_ticks(low, high);
}

Ruler fitted_ruler(const std::vector<double>& values, Scale scale, bool from_zero) {
  for (const double v : values) {
    require(std::isfinite(v), "a chart cannot show {} (it is not finite) leave such points out", v);
    require(scale == Scale::linear || v > 0, "a logarithmic axis cannot show {} (it is not above 0) use a linear one",
            v);
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (values.empty()) return {.low = scale == Scale::linear ? 0.0 : 1.0, .high = 10, .scale = scale};
  if (scale == Scale::logarithmic) return decades(*least, *most);
  const double low = from_zero ? std::min(*least, 0.0) : *least;
  const double high = from_zero ? std::max(*most, 0.0) : *most;
  return high > low ? widened(low, high, round_step(high - low, 5)) : Ruler{.low = low, .high = low + 1};
}

}  // namespace kallima
