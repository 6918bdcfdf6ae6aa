#pragma once
// From numbers to places on paper: where an axis has its ticks and how numbers are written beside them.

#include <string>
#include <vector>

#include "kallima/draw.hpp"

namespace kallima {

std::string number_text(double value);  // "12,000", "0.25", "1e-9": what a reader wants beside a tick

// Multiples of 1, 2 or 5 times a power of ten inside [low, high], about `wanted` of them.
std::vector<double> round_ticks(double low, double high, int wanted);

// Powers of ten inside [low, high]; where there are fewer than four, their multiples by 2 and 5 as well.
std::vector<double> decade_ticks(double low, double high);

// A stretch of numbers on a stretch of paper, [low, high] on [from, to].
struct Ruler {
  double low = 0;
  double high = 1;
  double from = 0;
  double to = 1;
  Scale scale = Scale::linear;
  double place(double value) const;
  std::vector<double> ticks(int wanted) const;
};

// A ruler over values that ends at ticks; linear ones start at 0 if `from_zero`.
Ruler fitted_ruler(const std::vector<double>& values, Scale scale, bool from_zero);

}  // namespace kallima
