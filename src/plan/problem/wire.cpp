// Which form numbers travel in, and what that costs in accuracy. Transforms are unitary but for a factor, so that an
// exchange with a relative L2 error of e gives a result with one of e; several exchanges, and the rounds of a relay,
// add up. Real transforms are not quite unitary: half a spectrum, and the ends of a cosine series, count for less than
// they are worth, which may double the error along that axis.

#include "kallima/wire.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/text.hpp"
#include "schedule/names.hpp"

namespace kallima {
namespace {

using Format = Wire::Format;
constexpr int fewest_bits = 2;
constexpr int most_bits = 52;
constexpr double exponent_bits = 16.0 / static_cast<double>(wire_block);  // of each real

double bits_of(Precision precision) {
  if (precision == Precision::single_) return 8 * sizeof(float);
  return precision == Precision::double_ ? 8 * sizeof(double) : 8 * sizeof(long double);
}

double bits_per_real(const Wire& wire, Precision precision) {
  if (wire.format == Format::same) return bits_of(precision);
  return wire.format == Format::single ? 32 : wire.bits + exponent_bits;
}

// Of what is sent once. In the worst block all reals but the largest are off by half a step, while that is smallest.
double error_once(const Wire& wire) {
  if (wire.format == Format::same) return 0;
  if (wire.format == Format::single) return std::ldexp(1.0, -24);
  return std::sqrt(static_cast<double>(wire_block)) * std::ldexp(1.0, 1 - wire.bits);
}

int times_sent(const Plan& plan) {
  const auto ranks = static_cast<unsigned>(plan.layout_in().active_ranks());
  const bool relayed = plan.options().alltoall == Alltoall::bruck && ranks > 1;
  return std::max(1, plan.exchanges()) * (relayed ? std::bit_width(ranks - 1) : 1);
}

double amplification(const Problem& problem) {
  double factor = halved_axis(problem) >= 0 ? 2 : 1;
  for (const Kind kind : problem.kinds)
    if (kind != Kind::fourier) factor *= 2;
  return factor;
}

double error_limit(const Wire& wire, const Plan& plan) {
  const double sum = std::expm1(times_sent(plan) * std::log1p(error_once(wire)));
  return amplification(checked(plan.problem())) * sum;
}

// The fewest bits that keep to the tolerance; `single` takes 32, and then 28 in blocks keep to the same.
WireChoice for_tolerance(double tolerance, const Plan& plan) {
  Wire wire{.format = Format::shared_exponent, .bits = fewest_bits};
  while (wire.bits < most_bits && error_limit(wire, plan) > tolerance) ++wire.bits;
  const double limit = error_limit(wire, plan);
  const Precision precision = plan.problem().precision;
  if (limit <= tolerance && bits_per_real(wire, precision) < bits_of(precision)) return {.wire = wire, .limit = limit};
  return {.reason = fmt::format("nothing shorter keeps the error below {:g}", tolerance)};
}

double number(std::string_view text, const std::string& all) {
  const std::optional<double> value = number_in<double>(text);
  require(value.has_value(),
          "the wire {} is not understood ('{}' is no number) write same, single, shared:24 or tolerance:1e-10", all,
          text);
  return *value;
}

}  // namespace

void check(const Wire& wire) {
  const double t = wire.tolerance;
  const bool shared = wire.format == Format::shared_exponent;
  require(t >= 0 && t < 1, "a wire's tolerance of {:g} is impossible (it is a relative error): give one from 0 to 1",
          t);
  require(t == 0 || (wire.format == Format::same && wire.bits == 0),
          "a wire has a tolerance of {:g} and the format {} ({} bits): give one of them", t, name(wire.format),
          wire.bits);
  require(!shared || (wire.bits >= fewest_bits && wire.bits <= most_bits),
          "a wire's mantissas of {} bits are impossible (the sign is one of them): give {} to {}", wire.bits,
          fewest_bits, most_bits);
  require(shared || wire.bits == 0, "a wire of format {} has {} bits, which only a shared exponent leaves open: give 0",
          name(wire.format), wire.bits);
}

std::size_t encoded_bytes(const Wire& wire, std::size_t reals) {
  if (wire.format == Format::single) return reals * sizeof(float);
  constexpr auto block = static_cast<std::size_t>(wire_block);
  const auto bytes_of = [&](std::size_t count) {  // an exponent and packed mantissas
    return count == 0 ? 0 : sizeof(std::int16_t) + (count * static_cast<std::size_t>(wire.bits) + 7) / 8;
  };
  return reals / block * bytes_of(block) + bytes_of(reals % block);
}

WireChoice choose_wire(const Wire& asked, const Plan& plan) {
  check(asked);
  if (asked.tolerance > 0) return for_tolerance(asked.tolerance, plan);
  const Precision precision = plan.problem().precision;
  if (asked.format != Format::same && bits_per_real(asked, precision) >= bits_of(precision))
    return {.reason = fmt::format("{} would not be shorter than the data itself", text(asked))};
  return {.wire = asked, .limit = error_limit(asked, plan)};
}

std::string_view name(Wire::Format format) { return enum_name(format); }

std::string text(const Wire& wire) {
  if (wire.tolerance > 0) return fmt::format("tolerance:{:g}", wire.tolerance);
  if (wire.format == Format::shared_exponent) return fmt::format("shared:{}", wire.bits);
  return std::string(name(wire.format));
}

Wire wire_named(const std::string& text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string kind = text.substr(0, colon);
  Wire wire;
  if (text == "same" || text == "single") {
    wire.format = text == "same" ? Format::same : Format::single;
  } else if (kind == "shared" && colon < text.size()) {
    const double bits = number(std::string_view(text).substr(colon + 1), text);
    wire = {.format = Format::shared_exponent,
            .bits = bits == std::floor(bits) && std::abs(bits) < 1e6 ? static_cast<int>(bits) : 0};
  } else if (kind == "tolerance" && colon < text.size()) {
    wire.tolerance = number(std::string_view(text).substr(colon + 1), text);
    require(wire.tolerance > 0, "the wire {} is impossible (a tolerance is above 0) leave it out", text);
  } else {
    fail("the wire {} is not understood: write same, single, shared:24 or tolerance:1e-10", text);
  }
  check(wire);
  return wire;
}

std::string text(const WireReport& r) {
  constexpr double mb = 1e6;
  const std::string why = r.choice.reason.empty() ? "" : fmt::format(" ({})", r.choice.reason);
  if (r.choice.wire.format == Format::same) return fmt::format("same{}", why);
  if (r.bytes_plain == 0) return fmt::format("{}, nothing was sent", text(r.choice.wire));
  const auto plain = static_cast<double>(r.bytes_plain), sent = static_cast<double>(r.bytes_sent);
  const double runs = static_cast<double>(std::max<Index>(1, r.transforms)) * mb;
  return fmt::format(
      "{}{}, {:.3g} MB instead of {:.3g} MB per transform ({:.2f}), relative error of what was sent {:.1e}",
      text(r.choice.wire), why, sent / runs, plain / runs, sent / plain, r.error);
}

}  // namespace kallima
