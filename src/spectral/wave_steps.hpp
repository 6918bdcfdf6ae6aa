#pragma once
// The smallest wave number along each dimension of a box, and what must hold for there to be one.

#include <cmath>
#include <numbers>

#include "base/check.hpp"
#include "kallima/spectral.hpp"

namespace kallima {

inline void check_fourier(const Problem& problem) {
  for (std::size_t i = 0; i < problem.axes.size(); ++i)
    require(problem.kinds[i] == Kind::fourier,
            "axis {} has a cosine or sine transform (this needs Fourier axes): use Fft::apply with its modes",
            problem.axes[i]);
}

// What factors are computed in: never less than double.
template <class T>
using Wide = std::conditional_t<sizeof(T) <= sizeof(double), double, T>;

// 2 pi / length, and 1 for the 2 pi that a double can hold.
template <class W>
W wave_step(double length) {
  return length == 2 * std::numbers::pi ? W(1) : 2 * std::numbers::pi_v<W> / static_cast<W>(length);
}

// Of each dimension that is transformed, and 0 of the others.
template <class W>
std::vector<W> wave_steps(const Problem& problem, const Lengths& lengths) {
  check_fourier(problem);
  require(lengths.empty() || lengths.size() == problem.shape.size(),
          "{} lengths for an array of {} (give one for each of the {} dimensions, or none)", lengths.size(),
          text(problem.shape), problem.shape.size());
  std::vector<W> steps(problem.shape.size(), 0);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (!transforms(problem, k)) continue;
    require(lengths.empty() || lengths[k] > 0, "the length of dimension {} is {}: give a positive one", k,
            lengths.empty() ? 0 : lengths[k]);
    steps[k] = lengths.empty() ? W(1) : wave_step<W>(lengths[k]);
  }
  return steps;
}

}  // namespace kallima
