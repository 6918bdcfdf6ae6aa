#pragma once
// Which wave number an element of a distributed spectrum has. Along a Fourier axis of n points they go 0, 1, ..., n/2
// and then, negative, -(n-1)/2, ..., -1: NumPy's fftfreq(n) * n, but that the highest of an even n is +n/2, as along an
// axis that real data have halved (0 to n/2). Cosine transforms have their mode k, sine transforms of types 1 and 2
// mode k + 1, and types 3 and 4 of either k, for a frequency of k + 1/2. An axis that is not transformed has its index.

#include <algorithm>
#include <functional>
#include <span>
#include <type_traits>

#include "kallima/problem.hpp"

namespace kallima {

// Neighbours in memory along the last dimension whose wave numbers go up evenly.
template <class Item>
struct SpectrumLine {
  std::span<Item> values;
  std::span<const Index> fixed;  // wave numbers along all dimensions but the last
  Progression last;              // and along that, one for each value
  Index first = 0;               // values[0] is this element of the rank's part of the spectrum
};

Index wave_number(const Problem& problem, std::size_t dim, Index j);  // of a checked problem

// Those of one rank's part of a spectrum that is stored row-major and without gaps.
class WaveNumbers {
 public:
  WaveNumbers(const Problem& problem, const Layout& spectrum, int rank);

  Index size() const { return size_; }  // elements
  std::size_t dims() const { return numbers_.size(); }
  const std::vector<Index>& along(std::size_t dim) const { return numbers_[dim]; }  // by local index

  // Calls visit(SpectrumLine) for lines that make up `run`, which begins with local element `first`.
  template <class Item, class F>
  void for_each_line(std::span<Item> run, Index first, const F& visit) const {
    Shape fixed(dims() - 1);
    const auto extent = static_cast<Index>(numbers_.back().size());
    for (Index done = 0, count = static_cast<Index>(run.size()); done < count;) {
      const Index t = (first + done) % extent;
      const Index length = std::min(row_end(t) - t, count - done);
      set_fixed((first + done) / extent, fixed);
      visit(SpectrumLine<Item>{
          run.subspan(at(done), at(length)), fixed, {numbers_.back()[at(t)], step_, length}, first + done});
      done += length;
    }
  }

 private:
  Index row_end(Index t) const { return t < turn_ ? turn_ : static_cast<Index>(numbers_.back().size()); }
  void set_fixed(Index row, Shape& fixed) const;

  std::vector<std::vector<Index>> numbers_;
  Index size_ = 0;
  Index turn_ = 0;  // where those along the last dimension become negative
  Index step_ = 1;
};

namespace detail {

// A function of the caller's as one of lines: of complex numbers and, if it can be, of the reals of cosines and sines.
template <class T>
struct OnLines {
  std::function<void(const SpectrumLine<std::complex<T>>&)> complex_lines;
  std::function<void(const SpectrumLine<T>&)> real_lines;
};

void multiply_by(const auto& f, const auto& line, Shape& numbers) {
  numbers.assign(line.fixed.begin(), line.fixed.end());
  numbers.push_back(line.last.first);
  for (auto& value : line.values) {
    value *= f(std::span<const Index>(numbers));
    numbers.back() += line.last.step;
  }
}

// `f` takes lines, or gives a factor for the wave numbers of one element; it must outlive what is made of it.
template <class T, class F>
OnLines<T> on_lines(const F& f) {
  using Numbers = std::span<const Index>;
  OnLines<T> result;
  if constexpr (std::is_invocable_v<const F&, Numbers>) {
    using Factor = std::invoke_result_t<const F&, Numbers>;
    const auto times = [&f, numbers = Shape()](const auto& line) mutable { multiply_by(f, line, numbers); };
    result.complex_lines = times;
    if constexpr (std::is_convertible_v<Factor, T>) result.real_lines = times;
  } else {
    if constexpr (std::is_invocable_v<const F&, const SpectrumLine<std::complex<T>>&>)
      result.complex_lines = std::cref(f);
    if constexpr (std::is_invocable_v<const F&, const SpectrumLine<T>&>) result.real_lines = std::cref(f);
    static_assert(std::is_invocable_v<const F&, const SpectrumLine<std::complex<T>>&> ||
                      std::is_invocable_v<const F&, const SpectrumLine<T>&>,
                  "the function takes neither wave numbers (a span of Index) nor a SpectrumLine");
  }
  return result;
}

}  // namespace detail
}  // namespace kallima
