#include "cuda/whole/line_errors.hpp"

#include <cmath>
#include <numbers>
#include <thread>

namespace kallima::cuda {

// A line of one axis is one of h x m points: the sums over h come first, and only every h-th output is known.
struct SampledLines {
  Index nz = 1, ny = 1, nx = 1;
  Index turns = 1;  // points of the whole axis over nx
};

namespace {

using Wide = std::complex<long double>;

Wide root(int sign, Index e, Index n) {
  const auto angle =
      sign * 2 * std::numbers::pi_v<long double> * static_cast<long double>(e % n) / static_cast<long double>(n);
  return {std::cos(angle), std::sin(angle)};
}

Wide times(Wide a, Wide b) {  // without the tests for infinities that operator* makes
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

SampledLines sampled_lines(const std::vector<Index>& shape) {
  constexpr Index longest = 8192;
  if (shape.size() == 1) {
    Index m = shape[0];
    while (m > longest && m % 2 == 0) m /= 2;
    return {1, shape[0] / m, m, shape[0] / m};
  }
  return {shape.size() > 2 ? shape[shape.size() - 3] : 1, shape[shape.size() - 2], shape.back(), 1};
}

// Of the output at (kz, ky, ·), or for one axis at ky + turns * k.
template <class Real>
std::vector<Wide> reference_line(const SampledLines& s, int sign, bool real, std::span<const Real> in, Index kz,
                                 Index ky) {
  std::vector<Wide> sums(at(s.nx)), line(at(s.nx)), roots(at(s.nx));
  for (Index z = 0; z < s.nz; ++z)
    for (Index y = 0; y < s.ny; ++y) {
      const Wide w = times(root(sign, z * kz, s.nz), root(sign, y * ky, s.ny));
      const auto* row = in.data() + (z * s.ny + y) * s.nx * (real ? 1 : 2);
      for (Index x = 0; x < s.nx; ++x)
        sums[at(x)] += real ? w * static_cast<long double>(row[x]) : times(w, {row[2 * x], row[2 * x + 1]});
    }
  for (Index x = 0; x < s.nx; ++x) {
    if (s.turns > 1) sums[at(x)] = times(sums[at(x)], root(sign, x * ky, s.nx * s.turns));
    roots[at(x)] = root(sign, x, s.nx);
  }
  for (Index k = 0; k < s.nx; ++k)
    for (Index x = 0; x < s.nx; ++x) line[at(k)] += times(sums[at(x)], roots[at(x * k % s.nx)]);
  return line;
}

}  // namespace

template <class Real>
std::vector<double> line_errors(const WholeProblem& problem, std::span<const Real> in,
                                const std::vector<std::vector<std::complex<Real>>>& results, int lines) {
  const bool real = problem.kind == TransformKind::r2c;
  const auto s = sampled_lines(problem.shape);
  const Index known = real ? real_extent(s.nx) : s.nx;
  std::vector<std::vector<long double>> squares(at(lines), std::vector<long double>(results.size() + 1));
  const auto work = [&](int i) {
    const Index kz = (91 * i + 11) % s.nz, ky = (37 * i + 5) % s.ny;
    const auto line = reference_line(s, problem.sign, real, in, kz, ky);
    for (Index k = 0; k < known; ++k) {
      const auto where = at(s.turns > 1 ? ky + s.turns * k : (kz * s.ny + ky) * known + k);
      for (std::size_t r = 0; r < results.size(); ++r)
        squares[at(i)][r] += std::norm(line[at(k)] - Wide(results[r][where].real(), results[r][where].imag()));
      squares[at(i)].back() += std::norm(line[at(k)]);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < lines; ++i) threads.emplace_back(work, i);
  for (auto& thread : threads) thread.join();
  std::vector<double> errors;
  for (std::size_t r = 0; r < results.size(); ++r) {
    long double error = 0, size = 0;
    for (const auto& line : squares) error += line[r], size += line.back();
    errors.push_back(static_cast<double>(std::sqrt(error / size)));
  }
  return errors;
}

template std::vector<double> line_errors(const WholeProblem&, std::span<const double>,
                                         const std::vector<std::vector<std::complex<double>>>&, int);
template std::vector<double> line_errors(const WholeProblem&, std::span<const float>,
                                         const std::vector<std::vector<std::complex<float>>>&, int);

}  // namespace kallima::cuda
