// Values run upwards, so the ruler of a value axis goes from the bottom of the area to its top. Ticks are computed as
// whole multiples of a step, never by adding steps up, so that 0.3 is not 0.30000000000000004. Entries of a legend are
// set from left to right like words on a page; one too long for a row gets a row of its own. Seconds are the only unit
// with prefixes; "node" is what simulations of butterflies count in, and is given its full name once, at the axis.

#include "draw/chart.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace kallima {
namespace {

constexpr double legend_row = 18, swatch = 12, swatch_gap = 6, between = 18;
constexpr double slack = 1e-9;  // of a step or a decade: ends that rounding pushed just outside

double round_step(double span, int wanted) {
  const double rough = span / std::max(wanted, 1);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double digits = rough / power;
  return power * (digits <= 1 ? 1 : digits <= 2 ? 2 : digits <= 5 ? 5 : 10);
}

constexpr std::pair<double, const char*> prefixes[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};

}  // namespace

std::string number_text(double value) {
  const double size = std::abs(value);
  if (value == 0) return "0";
  if (size < 1e-4 || size >= 1e9) return fmt::format("{:.4g}", value);
  if (size != std::floor(size) || size < 10000) return fmt::format("{:.6g}", value);
  std::string digits = fmt::format("{:.0f}", size);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return (value < 0 ? "-" : "") + digits;
}

std::string short_number(double value) {
  if (value == 0 || !std::isfinite(value)) return number_text(value);
  const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - 2);
  return number_text(unit < 1 ? std::round(value / unit) / std::round(1 / unit) : std::round(value / unit) * unit);
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
  const auto measure = [&](double v) { return scale == AxisScale::linear ? v : std::log10(v); };
  const double span = measure(high) - measure(low);
  return span > 0 ? from + (to - from) * (measure(value) - measure(low)) / span : from;
}

Ruler fitted(const Ruler& ruler, const std::vector<double>& values, bool from_zero) {
  const bool linear = ruler.scale == AxisScale::linear;
  for (const double v : values) {
    require(std::isfinite(v), "a chart cannot show {} (it is not finite) leave such points out", v);
    require(linear || v > 0, "a logarithmic axis cannot show {} (it is not above 0) use a linear one", v);
  }
  const auto between = [&](double low, double high) { return Ruler{low, high, ruler.from, ruler.to, ruler.scale}; };
  if (values.empty()) return between(linear ? 0 : 1, 10);
  const auto [least, most] = std::ranges::minmax(values);
  if (!linear) {
    const double first = std::floor(std::log10(least) + slack), last = std::ceil(std::log10(most) - slack);
    return between(std::pow(10, first), std::pow(10, std::max(last, first + 1)));
  }
  const double low = from_zero ? std::min(least, 0.0) : least, high = from_zero ? std::max(most, 0.0) : most;
  if (!(high > low)) return between(low, low + 1);
  const double step = round_step(high - low, 5);
  return between(std::floor(low / step + slack) * step, std::ceil(high / step - slack) * step);
}

TimeScale time_scale(const std::string& unit, double longest) {
  if (unit == "node") return {1, "time in butterfly nodes"};
  if (unit != "s") return {1, fmt::format("time in {}s", unit)};
  for (const auto& [size, word] : prefixes)
    if (longest >= size) return {1 / size, fmt::format("time in {}", word)};
  return {1, "time in s"};
}

std::string duration_text(double duration, const std::string& unit) {
  if (unit == "s") {
    for (const auto& [size, prefixed] : prefixes)
      if (duration >= size) return fmt::format("{:.{}f} {}", duration / size, duration < 10 * size ? 2 : 1, prefixed);
    return "0 s";
  }
  const double shown = duration >= 1000 ? std::round(duration) : duration;
  return fmt::format("{} {}{}", number_text(shown), unit, shown == 1 ? "" : "s");
}

double draw_legend(Svg& svg, const Point& corner, double width, const std::vector<LegendEntry>& entries) {
  Point at = corner;
  for (const LegendEntry& entry : entries) {
    const double needed = swatch + swatch_gap + text_width(entry.label);
    if (at.x > corner.x && at.x + needed > corner.x + width) at = {corner.x, at.y + legend_row};
    svg.rect({at.x, at.y + 1, swatch, swatch}, entry.classes);
    svg.text({at.x + swatch + swatch_gap, at.y + 11}, entry.label);
    at.x += needed + between;
  }
  return entries.empty() ? 0 : at.y + legend_row - corner.y;
}

double draw_chart_head(Svg& svg, const std::string& title, double width, const std::vector<LegendEntry>& entries) {
  Point at{chart_margin, chart_margin};
  svg.paragraph(at, title, width - 2 * chart_margin, 16, "title", 16);
  at.y += title.empty() ? 0 : 14;
  return at.y + draw_legend(svg, at, width - 2 * chart_margin, entries) + 14;
}

void draw_value_axis(Svg& svg, const Rectangle& area, const Ruler& ruler, const std::string& label) {
  for (const double tick : ruler.ticks(5)) {
    const double y = ruler.place(tick);
    svg.line({area.x, y}, {area.right(), y}, "grid");
    svg.text({area.x - 8, y + 4}, number_text(tick), "", Anchor::end);
  }
  svg.line({area.x, area.y}, {area.x, area.bottom()}, "axis");
  svg.upward_text({chart_margin + 10, area.y + area.height / 2}, label, "muted");
}

void draw_ticks(Svg& svg, const Ruler& ruler, double y, const std::vector<double>& ticks, double unit) {
  svg.line({ruler.from, y}, {ruler.to, y}, "axis");
  for (const double tick : ticks) {
    const double x = ruler.place(tick / unit);
    svg.line({x, y}, {x, y + 5}, "axis");
    svg.text({x, y + 18}, number_text(tick), "", Anchor::middle);
  }
}

double draw_caption(Svg& svg, double top, double width, const std::string& caption) {
  Point at{chart_margin, top};
  svg.paragraph(at, caption, width - 2 * chart_margin, 16, "muted");
  return at.y + chart_margin;
}

}  // namespace kallima
