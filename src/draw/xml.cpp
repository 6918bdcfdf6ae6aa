// XML allows fewer characters than a string may hold, and one wrong byte makes a whole picture unreadable. So a text is
// walked one code point at a time; whatever is not one, or not allowed, is replaced by the sign for just that.

#include "kallima/draw.hpp"

namespace kallima {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

unsigned byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
}

// How many bytes belong to the code point that begins the text; 0 if it does not begin with one.
std::size_t code_point_length(std::string_view text) {
  const unsigned lead = byte_at(text, 0);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte_at(text, i) & 0xC0) != 0x80) return 0;
  const unsigned second = byte_at(text, 1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool outside = (lead == 0xED && second > 0x9F) || (lead == 0xF4 && second > 0x8F);
  const bool noncharacter = lead == 0xEF && second == 0xBF && byte_at(text, 2) >= 0xBE;
  return overlong || outside || noncharacter ? 0 : length;
}

constexpr std::pair<char, std::string_view> escapes[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"},
                                                         {'\t', " "},    {'\n', " "},   {'\r', " "}};

std::string_view escape(std::string_view code_point) {
  for (const auto& [character, escaped_form] : escapes)
    if (code_point[0] == character) return escaped_form;
  return static_cast<unsigned char>(code_point[0]) < 0x20 ? replacement : code_point;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string all;
  while (!text.empty()) {
    const std::size_t length = code_point_length(text);
    all += length == 0 ? replacement : escape(text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return all;
}

}  // namespace kallima
