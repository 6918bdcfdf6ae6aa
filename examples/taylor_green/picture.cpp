// The PNG is not compressed: deflate's stored blocks need no library, and pictures are small.

#include "picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace taylor_green {
namespace {

using Bytes = std::string;
using Colour = std::array<double, 3>;

constexpr int shades = 256;

Colour shade(int number) {  // white over orange and red to dark violet: printed in grey it darkens, too
  static constexpr std::array<Colour, 5> stops{
      {{255, 255, 255}, {254, 216, 154}, {241, 110, 80}, {150, 33, 110}, {35, 10, 75}}};
  const double place = static_cast<double>(number) / (shades - 1) * (stops.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), stops.size() - 2);
  Colour result{};
  for (std::size_t c = 0; c < 3; ++c)
    result[c] = stops[below][c] + (place - static_cast<double>(below)) * (stops[below + 1][c] - stops[below][c]);
  return result;
}

// ---- PNG (ISO/IEC 15948)
// ---------------------------------------------------------------------------------------------

Bytes big_endian(std::uint32_t value) {
  Bytes bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

std::uint32_t crc32(const Bytes& bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc;
}

Bytes chunk(std::string_view type, const Bytes& data) {
  const Bytes both = Bytes(type) + data;
  return big_endian(static_cast<std::uint32_t>(data.size())) + both + big_endian(crc32(both));
}

Bytes stored(const Bytes& data) {  // as a zlib stream
  constexpr std::size_t most = 65535;
  Bytes bytes = "\x78\x01";
  std::uint32_t a = 1, b = 0;
  for (const char byte : data) {
    a = (a + static_cast<unsigned char>(byte)) % 65521;
    b = (b + a) % 65521;
  }
  for (std::size_t begin = 0; begin < data.size(); begin += most) {
    const auto size = static_cast<std::uint32_t>(std::min(most, data.size() - begin));
    bytes += begin + size == data.size() ? '\1' : '\0';
    for (const std::uint32_t length : {size, ~size})
      for (const int shift : {0, 8}) bytes += static_cast<char>(length >> shift & 0xff);
    bytes += data.substr(begin, size);
  }
  return bytes + big_endian(b << 16 | a);
}

// A byte a pixel, which is the number of a shade; rows from the top.
Bytes png(std::size_t width, std::size_t height, const auto& shade_at) {
  Bytes header = big_endian(static_cast<std::uint32_t>(width)) + big_endian(static_cast<std::uint32_t>(height));
  header += {'\x08', '\x03', '\0', '\0', '\0'};  // eight bits, by palette
  Bytes palette, rows;
  for (int i = 0; i < shades; ++i)
    for (const double part : shade(i)) palette += static_cast<char>(std::lround(part));
  for (std::size_t y = 0; y < height; ++y) {
    rows += '\0';  // no filter
    for (std::size_t x = 0; x < width; ++x) rows += static_cast<char>(shade_at(x, y));
  }
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("PLTE", palette) + chunk("IDAT", stored(rows)) +
         chunk("IEND", "");
}

Bytes base64(const Bytes& bytes) {
  static constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  Bytes text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t j = 0; j < 3; ++j)
      three = three << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0);
    for (std::size_t j = 0; j < 4; ++j) text += i + j > bytes.size() ? '=' : digits[three >> (18 - 6 * j) & 63];
  }
  return text;
}

// ---- SVG
// -------------------------------------------------------------------------------------------------------------

constexpr double side = 360, left = 64, top = 48, bar = left + side + 24, bar_width = 18;

std::string formatted(const char* format, auto... values) {
  char text[512];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::string image(double x, double width, const Bytes& picture) {
  return formatted("<image x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" preserveAspectRatio=\"none\" href=\"", x, top,
                   width, side) +
         "data:image/png;base64," + base64(picture) + "\"/>\n" +
         formatted("<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"none\" stroke=\"#444\"/>\n", x, top,
                   width, side);
}

std::string words(double x, double y, const char* anchor, const std::string& text) {
  return formatted("<text x=\"%g\" y=\"%g\" text-anchor=\"%s\">", x, y, anchor) + text + "</text>\n";
}

std::string upward(double x, const std::string& text) {
  const double y = top + side / 2;
  return formatted("<text x=\"%g\" y=\"%g\" text-anchor=\"middle\" transform=\"rotate(-90 %g %g)\">", x, y, x, y) +
         text + "</text>\n";
}

std::string axes(const PictureText& text) {
  std::string all = words(left + side / 2, top + side + 40, "middle", text.across) + upward(left - 34, text.up);
  const std::string ticks[] = {"0", "π", "2π"};
  for (int i = 0; i < 3; ++i) {
    const double at = side * i / 2;
    all += formatted("<path d=\"M%g %gv5M%g %gh-5\" stroke=\"#444\"/>\n", left + at, top + side, left, top + side - at);
    all +=
        words(left + at, top + side + 20, "middle", ticks[i]) + words(left - 9, top + side - at + 5, "end", ticks[i]);
  }
  return all;
}

// Round numbers, four to eight of them.
double step_of(double highest) {
  const double power = std::pow(10, std::floor(std::log10(highest / 4)));
  for (const double step : {5.0, 2.0, 1.0})
    if (highest / (step * power) >= 4) return step * power;
  return power;
}

std::string scale(double highest, const std::string& label) {
  std::string all = image(bar, bar_width, png(1, shades, [](std::size_t, std::size_t y) { return shades - 1 - y; }));
  const double step = step_of(highest), right = bar + bar_width;
  for (int i = 0; i * step <= highest * (1 + 1e-12); ++i) {
    const double y = top + side * (1 - i * step / highest);
    all += formatted("<path d=\"M%g %gh5\" stroke=\"#444\"/>\n", right, y) +
           words(right + 9, y + 5, "start", formatted("%g", i * step));
  }
  return all + upward(right + 58, label);
}

}  // namespace

std::string square_picture(const std::vector<double>& values, std::size_t n, const PictureText& text) {
  const double largest = std::max(1e-300, *std::ranges::max_element(values));
  const auto shade_at = [&](std::size_t x, std::size_t y) {
    return std::lround(values[(n - 1 - y) * n + x] / largest * (shades - 1));
  };
  const double width = bar + bar_width + 76, height = top + side + 56;
  return formatted(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\" "
             "font-family=\"sans-serif\" font-size=\"15\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
             width, height, width, height) +
         words(left + side / 2, top - 16, "middle", text.title) + image(left, side, png(n, n, shade_at)) + axes(text) +
         scale(largest, text.scale) + "</svg>\n";
}

}  // namespace taylor_green
