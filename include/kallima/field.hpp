#pragma once
// Fields in a periodic box, for spectral codes: vector fields as one object, their Fourier coefficients, and what is
// done to these where they lie. A PeriodicBox has the grid and the transforms, all components through one pipeline; a
// WaveMesh the wave numbers of a rank's part of the spectrum and the operators made of them, which need no messages
// (sums over all ranks excepted); a DealiasedProduct takes many fields to a finer grid, products of them back.
// Coefficients are those of the Fourier series, u(x) = sum over k of u_k exp(i k x): forward() divides by the number of
// points, backward() by nothing, and a coefficient does not depend on the grid it is computed on.

#include <functional>
#include <optional>

#include "kallima/comm.hpp"
#include "kallima/spectral.hpp"

namespace kallima {

// Components of fields, wherever they are, as Fft::forward_many() takes them.
template <class Item>
using Spans = std::vector<std::span<Item>>;

// So many arrays of equal size, one behind the other in memory. Zeroed; move-only.
template <class Item>
class VectorField {
 public:
  VectorField() = default;
  VectorField(Index components, Index size) : components_(components), size_(size), items_(components * size) {}

  Index components() const { return components_; }
  Index size() const { return size_; }  // of each component
  std::span<Item> operator[](Index c) const { return {items_.data() + c * size_, at(size_)}; }
  std::span<Item> all() const { return {items_.data(), at(components_ * size_)}; }

  Spans<Item> spans() const {
    Spans<Item> result;
    for (Index c = 0; c < components_; ++c) result.push_back((*this)[c]);
    return result;
  }
  operator Spans<Item>() const { return spans(); }

 private:
  Index components_ = 0, size_ = 0;
  Array<Item> items_;
};

// Neighbours along the last dimension, as a WaveMesh hands them out.
template <class T>
struct WaveRow {
  Index first = 0;           // they are this element of the rank's part of the spectrum, and so many after it
  std::span<const T> fixed;  // their wave numbers along all dimensions but the last,
  std::span<const T> last;   // and along that, one for each
  std::span<const T>
      weights;  // how many elements of the whole spectrum each stands for: 2 where a conjugate is not kept

  // Calls f(element of the rank's part, wave number along dimension `dim`).
  void along(std::size_t dim, const auto& f) const {
    const auto count = static_cast<Index>(last.size());
    if (dim == fixed.size())
      for (Index i = 0; i < count; ++i) f(first + i, last[at(i)]);
    else
      for (Index i = 0; i < count; ++i) f(first + i, fixed[dim]);
  }
};

// The wave numbers, 2 pi k / length, of this rank's part of an Fft's spectrum, and operators on Fourier coefficients.
// All axes are Fourier axes, and transformed. Vector fields have as many components as the box has dimensions. First
// derivatives, and what is made of them, leave the highest wave number of an even extent out, as derivative() does.
template <class T>
class WaveMesh {
 public:
  using Complex = std::complex<T>;
  using Scalar = std::span<Complex>;  // local_size_out() coefficients
  using ConstScalar = std::span<const Complex>;
  using Vector = VectorField<Complex>;

  explicit WaveMesh(const Fft<T>& fft, const Lengths& lengths = {});

  std::size_t dims() const { return numbers_.size(); }
  Index size() const { return size_; }                                          // elements of the rank's part
  const std::vector<T>& along(std::size_t dim) const { return numbers_[dim]; }  // by local index
  const std::vector<T>& slopes(std::size_t dim) const { return slopes_[dim]; }  // the same with 0 for the highest

  // Calls visit(WaveRow) for every row of the rank's part; with those numbers that first derivatives take.
  template <class F>
  void for_each_row(const F& visit) const {
    visit_rows(numbers_, visit);
  }
  template <class F>
  void for_each_slope_row(const F& visit) const {
    visit_rows(slopes_, visit);
  }

  // Calls visit(element of the rank's part, its wave vector).
  template <class F>
  void for_each(const F& visit) const {
    std::vector<T> k(dims());
    for_each_row([&](const WaveRow<T>& row) {
      std::copy(row.fixed.begin(), row.fixed.end(), k.begin());
      for (std::size_t i = 0; i < row.last.size(); ++i) {
        k.back() = row.last[i];
        visit(row.first + static_cast<Index>(i), std::span<const T>(k));
      }
    });
  }

  void gradient(ConstScalar f, const Vector& out) const;
  void divergence(const Vector& u, Scalar out) const;
  void curl(const Vector& u, const Vector& out) const;  // in two dimensions of one component, the third
  void laplacian(ConstScalar f, Scalar out) const;      // may be in place
  void project(const Vector& u) const;                  // Leray's: what is left of u without the gradient part
  void truncate(const Vector& u) const;  // the 2/3 rule: leaves wave numbers below n/3 along every axis (Orszag 1971)

  // Over the whole box: the mean of |u|^2, of twice the energy, by Parseval. Collective.
  double mean_square(const Vector& u) const;
  // The energy, half the mean of |u|^2, by shells: element s has wave vectors of lengths s - 1/2 to s + 1/2, in units
  // of the box's smallest wave number. Their sum is the energy. Collective.
  std::vector<double> energy_spectrum(const Vector& u) const;

 private:
  void visit_rows(const std::vector<std::vector<T>>& numbers, const auto& visit) const {
    const std::size_t outer = dims() - 1;
    std::vector<T> fixed(outer), weights(weights_.back());
    const auto length = static_cast<Index>(numbers.back().size());
    for (Index row = 0; length > 0 && row < size_ / length; ++row) {
      const T weight = set_fixed(row, numbers, fixed);
      for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = weight * weights_.back()[i];
      visit(WaveRow<T>{row * length, fixed, numbers.back(), weights});
    }
  }
  T set_fixed(Index row, const std::vector<std::vector<T>>& numbers, std::vector<T>& fixed) const;
  void check(const Vector& u, std::size_t components, const char* what) const;
  void check(std::size_t size, const char* what) const;

  Comm comm_;
  Index size_ = 0;
  Shape shape_;
  std::vector<std::vector<T>> numbers_, slopes_, weights_;
  std::vector<std::vector<bool>> kept_;  // by the 2/3 rule
  double unit_ = 1;                      // the smallest wave number, and what the largest comes to in it:
  Index shells_ = 0;
};

namespace detail {
template <class Item>
using RealOf = decltype(std::abs(Item()));
}

struct PeriodicBoxOptions {
  Lengths lengths = {};  // none: 2 pi each
  FftOptions fft = {};
  std::optional<Layout> in = {};  // of fields; not given: the planner chooses
};

// Fields of reals or of complex numbers on the points length * j / n, and their Fourier coefficients.
template <class Item>  // float, double, long double, or a std::complex of them
class PeriodicBox {
 public:
  using Real = detail::RealOf<Item>;
  using Complex = std::complex<Real>;
  static constexpr Data data = std::is_floating_point_v<Item> ? Data::real_ : Data::complex_;

  PeriodicBox(const Shape& shape, const Comm& comm, const PeriodicBoxOptions& options = {})
      : lengths_(options.lengths.empty() ? Lengths(shape.size(), 2 * std::numbers::pi) : options.lengths),
        fft_({.shape = shape, .output = Output::any, .data = data, .in = options.in}, comm, options.fft),
        mesh_(fft_, lengths_) {}

  // All zeros, with room for so many components.
  VectorField<Item> field(Index components) const { return {components, fft_.local_size_in()}; }
  VectorField<Complex> spectrum(Index components) const { return {components, fft_.local_size_out()}; }

  // All components through one pipeline, and so are lists of components of several fields. Collective.
  void forward(const Spans<Item>& u, const Spans<Complex>& coefficients) {
    fft_.forward_many(u, coefficients, Norm::full);
  }
  void backward(const Spans<Complex>& coefficients, const Spans<Item>& u) { fft_.backward_many(coefficients, u); }

  // The component's values f(x) at this rank's grid points x, a span of coordinates.
  template <class F>
  void sample(std::span<Item> component, const F& f) const {
    const Layout layout = fft_.layout_in();
    std::vector<Real> x(lengths_.size());
    for (std::size_t t = 0; t < component.size(); ++t) {
      const Shape j = layout.global_index(fft_.comm().rank(), static_cast<Index>(t));
      for (std::size_t k = 0; k < x.size(); ++k)
        x[k] = static_cast<Real>(lengths_[k]) * static_cast<Real>(j[k]) / static_cast<Real>(layout.shape()[k]);
      component[t] = f(std::span<const Real>(x));
    }
  }

  Fft<Real>& fft() { return fft_; }
  const WaveMesh<Real>& waves() const { return mesh_; }
  const Lengths& lengths() const { return lengths_; }
  const Comm& comm() const { return fft_.comm(); }

 private:
  Lengths lengths_;
  Fft<Real> fft_;
  WaveMesh<Real> mesh_;
};

// Products of many fields without aliasing: coefficients of `in` fields become values on a grid with 3/2 of the points,
// a function makes `out` products of them there, point by point, and these come back as coefficients of the box. All
// fields of one way go through one pipeline. It holds the values of all of them on the finer grid.
template <class Item>
class DealiasedProduct {
 public:
  using Complex = typename PeriodicBox<Item>::Complex;
  using Function = std::function<void(const VectorField<Item>& in, const VectorField<Item>& out)>;

  // `shape`: the finer grid's, as for Dealias. Collective.
  DealiasedProduct(PeriodicBox<Item>& box, Index in, Index out, const Shape& shape = {},
                   const FftOptions& options = {});

  void run(const Spans<Complex>& in, const Spans<Complex>& out, const Function& f);  // collective
  const Shape& shape() { return finer_.grid().plan().problem().shape; }

 private:
  Dealias<typename PeriodicBox<Item>::Real> finer_;
  VectorField<Complex> spectra_;
  VectorField<Item> in_, out_;
};

}  // namespace kallima
