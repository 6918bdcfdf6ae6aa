#include "kallima/problem.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace kallima {
namespace {

constexpr Index most_elements = Index{1} << 59;  // so that sizes in bytes, and 8 times an exponent, fit 64 bits

void check_shape(const Shape& shape) {
  require(!shape.empty(), "the shape has no dimensions (nothing to transform): give one extent per dimension");
  Index count = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    require(shape[d] >= 1, "dimension {} of shape {} has extent {}: extents must be at least 1", d, text(shape),
            shape[d]);
    require(shape[d] <= most_elements / count, "shape {} is too large (over 2^59 elements): check its extents",
            text(shape));
    count *= shape[d];
  }
}

}  // namespace

Problem checked(const Problem& problem) {
  check_shape(problem.shape);
  Problem result = problem;
  const int d = static_cast<int>(problem.shape.size());
  if (result.axes.empty())
    for (int k = 0; k < d; ++k) result.axes.push_back(k);
  for (int& axis : result.axes) {
    require(axis >= -d && axis < d, "axis {} does not exist (shape {} has {} dimensions): use 0 to {}, or -{} to -1",
            axis, text(problem.shape), d, d - 1, d);
    if (axis < 0) axis += d;
  }
  std::sort(result.axes.begin(), result.axes.end());
  const auto twice = std::adjacent_find(result.axes.begin(), result.axes.end());
  require(twice == result.axes.end(), "axis {} is named twice: name each axis once",
          twice == result.axes.end() ? 0 : *twice);
  return result;
}

bool transforms(const Problem& problem, std::size_t dim) {
  return std::find(problem.axes.begin(), problem.axes.end(), static_cast<int>(dim)) != problem.axes.end();
}

Index element_count(const Shape& shape) {
  Index count = 1;
  for (const Index n : shape) count *= n;
  return count;
}

Index transformed_count(const Problem& problem) {
  const Problem p = checked(problem);
  Index count = 1;
  for (const int axis : p.axes) count *= p.shape[static_cast<std::size_t>(axis)];
  return count;
}

double flop_count(const Problem& problem) {
  return 5.0 * static_cast<double>(element_count(problem.shape)) *
         std::log2(static_cast<double>(transformed_count(problem)));
}

std::string text(const Shape& shape) { return fmt::format("{}", fmt::join(shape, "x")); }

}  // namespace kallima
