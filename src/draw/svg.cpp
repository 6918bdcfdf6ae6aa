// Elements are appended to one string as they are drawn; the header with the style sheet is put before them at the end,
// when the height is known. XML allows fewer characters than a string may hold, and one wrong byte makes a whole
// picture unreadable: whatever is not UTF-8 is replaced, as JSON's writer does it, and so is what XML does not allow.

#include "draw/svg.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/check.hpp"

namespace kallima {
namespace {

std::string class_attribute(std::string_view classes) {
  return classes.empty() ? "" : fmt::format(" class=\"{}\"", classes);
}

constexpr std::string_view anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};  // by Anchor

// An attribute of the outermost element of a picture, which our own writer puts there.
double attribute(const std::string& picture, std::string_view name) {
  const std::string key = fmt::format(" {}=\"", name);
  const std::size_t at = picture.find(key);
  double value = 0;
  require(at != std::string::npos, "this is not one of our pictures: it has no {}", name);
  std::from_chars(picture.data() + at + key.size(), picture.data() + picture.size(), value);
  return value;
}

constexpr std::string_view replacement = "\xEF\xBF\xBD";

// What XML does not let stand for itself.
constexpr std::pair<std::string_view, std::string_view> escapes[] = {
    {"&", "&amp;"},
    {"<", "&lt;"},
    {">", "&gt;"},
    {"\"", "&quot;"},
    {"\t", " "},
    {"\n", " "},
    {"\r", " "},
    {"\xEF\xBF\xBE", replacement},
    {"\xEF\xBF\xBF", replacement},
};

}  // namespace

std::string escaped(std::string_view text) {
  using nlohmann::json;
  const std::string valid = json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace));
  std::string all;
  for (std::string_view rest = valid; !rest.empty();) {
    const auto found = std::ranges::find_if(escapes, [&](const auto& e) { return rest.starts_with(e.first); });
    const bool control = static_cast<unsigned char>(rest[0]) < 0x20;
    const bool known = found != std::end(escapes);
    all += known ? found->second : control ? replacement : rest.substr(0, 1);
    rest.remove_prefix(known ? found->first.size() : 1);
  }
  return all;
}

std::string coordinate(double value) {
  if (!std::isfinite(value)) return "0";
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

double text_width(std::string_view text, double size) {
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  return 0.6 * size * static_cast<double>(std::ranges::count_if(text, begins));
}

std::vector<std::string> wrapped(const std::string& text, double width, double size) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    if (!lines.empty() && text_width(lines.back() + " " + word, size) <= width)
      lines.back() += " " + word;
    else
      lines.push_back(word);
  }
  return lines;
}

void Svg::element(std::string_view name, Numbers numbers, std::string_view attributes, std::string_view classes,
                  std::string_view tooltip) {
  body_ += fmt::format("<{}", name);
  for (const auto& [attribute, value] : numbers) body_ += fmt::format(" {}=\"{}\"", attribute, coordinate(value));
  body_ += fmt::format("{}{}", attributes, class_attribute(classes));
  body_ += tooltip.empty() ? "/>\n" : fmt::format("><title>{}</title></{}>\n", escaped(tooltip), name);
}

void Svg::rect(const Rectangle& box, std::string_view classes, std::string_view tooltip) {
  const bool idle = classes == "idle";
  element("rect", {{"x", box.x}, {"y", box.y}, {"width", box.width}, {"height", box.height}},
          idle ? fmt::format(" fill=\"url(#hatch-{})\"", theme_name(theme_)) : "", idle ? "" : classes,
          idle ? "idle" : tooltip);
}

void Svg::polygon(std::span<const Point> corners, std::string_view classes) {
  std::string points;
  for (const Point& p : corners) points += fmt::format("{},{} ", coordinate(p.x), coordinate(p.y));
  element("polygon", {}, fmt::format(" points=\"{}\"", points), classes);
}

void Svg::text(const Point& at, std::string_view text, std::string_view classes, Anchor anchor) {
  body_ += fmt::format("<text x=\"{}\" y=\"{}\"{}{}>{}</text>\n", coordinate(at.x), coordinate(at.y),
                       class_attribute(classes), anchors[static_cast<int>(anchor)], escaped(text));
}

void Svg::upward_text(const Point& at, std::string_view text, std::string_view classes) {
  body_ += fmt::format("<text transform=\"translate({} {}) rotate(-90)\"{} text-anchor=\"middle\">{}</text>\n",
                       coordinate(at.x), coordinate(at.y), class_attribute(classes), escaped(text));
}

void Svg::paragraph(Point& at, const std::string& whole, double width, double pitch, std::string_view classes,
                    double size, Anchor anchor) {
  for (const std::string& line : wrapped(whole, width, size)) text({at.x, at.y += pitch}, line, classes, anchor);
}

std::string Svg::finish(double height) const {
  const std::string w = coordinate(width_), h = coordinate(height);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "class=\"k-{2}\" role=\"img\" aria-label=\"{3}\">\n<style>\n{4}</style>\n<defs>{5}</defs>\n"
      "<rect class=\"bg\" width=\"{0}\" height=\"{1}\"/>\n{6}</svg>\n",
      w, h, theme_name(theme_), title_, style_sheet(theme_), hatching(theme_), body_);
}

// An outer picture that holds the others whole.
std::string draw_stack(std::span<const std::string> pictures) {
  double width = 0, height = 0;
  std::string body;
  for (const std::string& picture : pictures) {
    const std::size_t root = picture.find("<svg");
    body += fmt::format("<svg y=\"{}\"{}", coordinate(height), picture.substr(root + 4));
    width = std::max(width, attribute(picture, "width"));
    height += attribute(picture, "height");
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n{2}</svg>\n",
      coordinate(width), coordinate(height), body);
}

}  // namespace kallima
