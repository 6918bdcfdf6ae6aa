// Several pictures as one, below each other: an outer picture that holds the others whole.

#include <charconv>

#include "base/check.hpp"
#include "draw/svg.hpp"

namespace kallima {
namespace {

// An attribute of the outermost element, which our own writer puts there.
double attribute(const std::string& picture, std::string_view name) {
  const std::string key = fmt::format(" {}=\"", name);
  const std::size_t at = picture.find(key);
  double value = 0;
  require(at != std::string::npos, "this is not one of our pictures: it has no {}", name);
  std::from_chars(picture.data() + at + key.size(), picture.data() + picture.size(), value);
  return value;
}

}  // namespace

std::string draw_stack(std::span<const std::string> pictures) {
  double width = 0;
  double height = 0;
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
