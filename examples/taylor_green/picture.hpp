#pragma once
// A square of numbers as a picture: colours from white to dark, a scale that says what they mean, axes and a title. An
// SVG, which shows text as text, around a PNG with a pixel for each number.

#include <cstdint>
#include <string>
#include <vector>

namespace taylor_green {

struct PictureText {
  std::string title;
  std::string scale;       // what the colours measure
  std::string across, up;  // what the axes are, each from 0 to 2 pi
};

// n rows of n numbers, none negative, the first row at the bottom. Colours end at the largest of them.
std::string square_picture(const std::vector<double>& values, std::size_t n, const PictureText& text);

}  // namespace taylor_green
