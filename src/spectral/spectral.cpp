// Derivatives and Poisson's equation: factors of the wave numbers, a line at a time.

#include "kallima/spectral.hpp"

#include <cmath>

#include "base/check.hpp"
#include "spectral/wave_steps.hpp"

namespace kallima {
namespace {

template <class T, class F>
void multiply(const SpectrumLine<std::complex<T>>& line, const F& factor) {
  Index k = line.last.first;
  for (std::complex<T>& value : line.values) {
    value *= factor(k);
    k += line.last.step;
  }
}

// The factors of the derivative along one axis.
template <class T>
class Derivative {
 public:
  Derivative(const Problem& problem, std::size_t axis, int order, double length) : axis_(axis) {
    check_fourier(problem);
    require(transforms(problem, axis), "axis {} is not one that the Fft transforms (axes of {}): name one of these",
            axis, fmt::join(problem.axes, ", "));
    require(order >= 0, "a derivative of order {} does not exist: use 0 or more", order);
    require(length > 0, "the length of axis {} is {}: give a positive one", axis, length);
    const Index n = problem.shape[axis];
    const std::complex<T> powers_of_i[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    for (Index k = -(n - 1) / 2; k <= n / 2; ++k) {
      const Wide<T> size = std::pow(static_cast<Wide<T>>(k) * wave_step<Wide<T>>(length), order);
      const bool cancels = order % 2 == 1 && 2 * k == n;
      factors_.push_back(cancels ? 0 : static_cast<T>(size) * powers_of_i[order % 4]);
    }
  }

  void operator()(const SpectrumLine<std::complex<T>>& line) const {
    if (axis_ >= line.fixed.size()) return multiply(line, [this](Index k) { return of(k); });
    multiply(line, [factor = of(line.fixed[axis_])](Index) { return factor; });
  }

 private:
  std::complex<T> of(Index k) const { return factors_[at((std::ssize(factors_) - 1) / 2 + k)]; }

  std::size_t axis_;
  std::vector<std::complex<T>> factors_;  // of wave numbers -(n-1)/2 to n/2
};

// Minus the squared length of the wave vector, and what it shall do.
enum class Does { multiply, divide };

template <class T>
void apply_laplacian(Fft<T>& fft, typename Fft<T>::In in, typename Fft<T>::Out out, const Lengths& lengths, Does does) {
  const std::vector<Wide<T>> steps = wave_steps<Wide<T>>(checked(fft.plan().problem()), lengths);
  const auto squared = [&](Index k, std::size_t dim) {
    const Wide<T> number = static_cast<Wide<T>>(k) * steps[dim];
    return number * number;
  };
  fft.apply(in, out, [&](const SpectrumLine<std::complex<T>>& line) {
    Wide<T> others = 0;
    for (std::size_t k = 0; k < line.fixed.size(); ++k) others += squared(line.fixed[k], k);
    multiply(line, [&](Index number) {
      const Wide<T> square = others + squared(number, line.fixed.size());
      return static_cast<T>(does == Does::multiply ? -square : square == 0 ? 0 : -1 / square);
    });
  });
}

}  // namespace

template <class T>
void derivative(Fft<T>& fft, typename Fft<T>::In in, typename Fft<T>::Out out, int axis, int order, double length) {
  const Problem problem = checked(fft.plan().problem());
  const auto dims = static_cast<int>(problem.shape.size());
  require(axis >= -dims && axis < dims, "axis {} does not exist (there are {} dimensions): use 0 to {}", axis, dims,
          dims - 1);
  fft.apply(in, out, Derivative<T>(problem, at(axis < 0 ? axis + dims : axis), order, length));
}

template <class T>
void gradient_in(Fft<T>& fft, typename Fft<T>::In in, std::span<const typename Fft<T>::Out> out,
                 const Lengths& lengths) {
  const Problem problem = checked(fft.plan().problem());
  wave_steps<double>(problem, lengths);  // checks them
  detail::check_plain_spectrum(problem);
  require(out.size() == problem.axes.size(), "{} arrays for the gradient along {} axes: give one for each", out.size(),
          problem.axes.size());
  const WaveNumbers numbers(problem, fft.layout_out(), fft.comm().rank());
  Array<std::complex<T>> spectrum(numbers.size());
  fft.forward(in, spectrum.span());
  std::vector<Array<std::complex<T>>> components;
  std::vector<std::span<std::complex<T>>> sources;
  for (std::size_t k = 0; k < problem.shape.size(); ++k) {
    if (!transforms(problem, k)) continue;
    const Derivative<T> factor(problem, k, 1, lengths.empty() ? 2 * std::numbers::pi : lengths[k]);
    const Array<std::complex<T>>& component = components.emplace_back(numbers.size());
    std::copy(spectrum.begin(), spectrum.end(), component.begin());
    numbers.for_each_line(component.span(), 0, factor);
    sources.push_back(component.span());
  }
  fft.backward_many(sources, out, Norm::full);
}

template <class T>
void laplacian(Fft<T>& fft, typename Fft<T>::In in, typename Fft<T>::Out out, const Lengths& lengths) {
  apply_laplacian(fft, in, out, lengths, Does::multiply);
}

template <class T>
void solve_poisson(Fft<T>& fft, typename Fft<T>::In f, typename Fft<T>::Out u, const Lengths& lengths) {
  apply_laplacian(fft, f, u, lengths, Does::divide);
}

#define KALLIMA_SPECTRAL(T)                                                                                          \
  template void derivative<T>(Fft<T>&, typename Fft<T>::In, typename Fft<T>::Out, int, int, double);                 \
  template void gradient_in<T>(Fft<T>&, typename Fft<T>::In, std::span<const typename Fft<T>::Out>, const Lengths&); \
  template void laplacian<T>(Fft<T>&, typename Fft<T>::In, typename Fft<T>::Out, const Lengths&);                    \
  template void solve_poisson<T>(Fft<T>&, typename Fft<T>::In, typename Fft<T>::Out, const Lengths&);

KALLIMA_SPECTRAL(float)
KALLIMA_SPECTRAL(double)
KALLIMA_SPECTRAL(long double)

}  // namespace kallima
