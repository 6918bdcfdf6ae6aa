#pragma once
// The definition of the discrete Fourier transform, summed term by term in long double: slow, and right.

#include <cmath>
#include <complex>
#include <map>
#include <mutex>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include "kallima/problem.hpp"

namespace kallima {

using Exact = std::complex<long double>;

inline std::vector<Exact> random_values(Index count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Exact> values;
  for (Index i = 0; i < count; ++i) {
    const float re = static_cast<float>(uniform(random));  // exact in single precision, too
    values.emplace_back(re, static_cast<float>(uniform(random)));
  }
  return values;
}

// Kept for each n: where long double is computed by software, cosines take longer than the sums they are used in.
inline const std::vector<Exact>& roots_of_unity(Index n, Direction direction) {
  static std::mutex one_at_a_time;
  static std::map<std::pair<Index, Direction>, std::vector<Exact>> kept;
  const std::lock_guard lock(one_at_a_time);
  std::vector<Exact>& roots = kept[{n, direction}];
  const long double sign = direction == Direction::forward ? -1 : 1;
  for (Index k = static_cast<Index>(roots.size()); k < n; ++k) {
    const long double angle =
        sign * 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
    roots.emplace_back(std::cos(angle), std::sin(angle));
  }
  return roots;
}

inline std::vector<Exact> reference_dft(const Problem& asked, std::vector<Exact> data, Direction direction) {
  const Problem problem = checked(asked);
  for (const int axis : problem.axes) {
    const Index n = problem.shape[static_cast<std::size_t>(axis)];
    Index stride = 1;
    for (std::size_t k = static_cast<std::size_t>(axis) + 1; k < problem.shape.size(); ++k) stride *= problem.shape[k];
    const std::vector<Exact>& roots = roots_of_unity(n, direction);
    std::vector<Exact> line(static_cast<std::size_t>(n));
    for (Index start = 0; start < static_cast<Index>(data.size()); ++start) {
      if (start / stride % n != 0) continue;
      for (Index k = 0; k < n; ++k) {
        Exact sum = 0;
        for (Index j = 0; j < n; ++j)
          sum += data[static_cast<std::size_t>(start + j * stride)] * roots[static_cast<std::size_t>(j * k % n)];
        line[static_cast<std::size_t>(k)] = sum;
      }
      for (Index k = 0; k < n; ++k)
        data[static_cast<std::size_t>(start + k * stride)] = line[static_cast<std::size_t>(k)];
    }
  }
  return data;
}

}  // namespace kallima
