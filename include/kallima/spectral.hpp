#pragma once
// What one does with a spectrum, on top of Fft::apply: derivatives, Poisson's equation, convolutions, and grids of 3/2
// the points for products without aliasing. Arrays are as for forward(): local_size_in() reals or complex numbers, as
// Problem::data says, and the result may be in place. All axes that the Fft transforms must be Fourier axes; those it
// does not transform are a batch. `lengths` are the periods of the box, one for each dimension, and 2 pi each where
// none are given. Everything here is collective.

#include <numbers>

#include "kallima/fft.hpp"
#include "kallima/memory.hpp"

namespace kallima {

using Lengths = std::vector<double>;

// The derivative of that order along an axis. Odd orders of an even number of points leave the highest wave number out:
// its two signs are one element there, and cancel.
template <class T>
void derivative(Fft<T>& fft, typename Fft<T>::In in, typename Fft<T>::Out out, int axis, int order = 1,
                double length = 2 * std::numbers::pi);

// First derivatives along all transformed axes, in ascending order, of one forward transform. `in` is left as it was.
template <class T>
void gradient_in(Fft<T>& fft, typename Fft<T>::In in, std::span<const typename Fft<T>::Out> out,
                 const Lengths& lengths);
template <class T, class Outs>
void gradient(Fft<T>& fft, typename Fft<T>::In in, const Outs& out, const Lengths& lengths = {}) {
  gradient_in(fft, in, std::vector<typename Fft<T>::Out>(out.begin(), out.end()), lengths);
}

// The sum of second derivatives along all transformed axes,
template <class T>
void laplacian(Fft<T>& fft, typename Fft<T>::In in, typename Fft<T>::Out out, const Lengths& lengths = {});

// and the u of mean zero whose Laplacian is f. A periodic u needs an f of mean zero: f's mean is left out.
template <class T>
void solve_poisson(Fft<T>& fft, typename Fft<T>::In f, typename Fft<T>::Out u, const Lengths& lengths = {});

// c[j] = sum over i of a[i] b[j - i], all indices modulo the extents.
template <class T>
void convolve(Fft<T>& fft, typename Fft<T>::In a, typename Fft<T>::In b, typename Fft<T>::Out c);

// c[j] = sum over i of conj(a[i]) b[i + j], likewise.
template <class T>
void correlate(Fft<T>& fft, typename Fft<T>::In a, typename Fft<T>::In b, typename Fft<T>::Out c);

namespace detail {
struct Regrid;                                      // a distributed array into a larger one, and back
void check_plain_spectrum(const Problem& problem);  // for what looks at a spectrum in memory
}  // namespace detail

// Linear convolution, c[j] = sum over i of a[i] b[j - i] wherever both exist: arrays are put into zeros first, so that
// nothing comes around. The extents of c are those of a and b together, less 1.
template <class T>
class LinearConvolution {
 public:
  using In = typename Fft<T>::In;
  using Out = typename Fft<T>::Out;

  LinearConvolution(const Layout& a, const Layout& b, const Layout& c, Data data, const Comm& comm,
                    const FftOptions& options = {});

  void run(In a, In b, Out c);
  const Shape& padded() const { return fft_.plan().problem().shape; }

 private:
  Fft<T> fft_;
  std::vector<std::shared_ptr<detail::Regrid>> parts_;  // a, b, c
};

// A finer grid for products of fields whose spectra are held on `fft`'s: with 3/2 times its points, what a product of
// two fields aliases is cut off again. The highest wave number of an even extent is left out both ways: it has no
// opposite, and on 3/2 of the points its square would fall back on it.
template <class T>
class Dealias {
 public:
  using Complex = std::complex<T>;

  // `shape`: the finer grid's. None: for n points the first product of 2, 3 and 5 from 3n/2 on, along transformed axes.
  explicit Dealias(const Fft<T>& fft, const Shape& shape = {}, const FftOptions& options = {});

  // Between a spectrum as fft.forward() gives it, unscaled, and the values of the same field on the finer grid, which
  // lie as grid().layout_in() says.
  void to_physical(std::span<const Complex> spectrum, typename Fft<T>::Out field);
  void to_spectral(typename Fft<T>::In field, std::span<Complex> spectrum);

  // Elements alone, as they are: from the spectrum of fft to that of the finer grid, with zeros for what is new, and
  // back. They lie as both Ffts' layout_out() say.
  void pad_spectrum(std::span<const Complex> small, std::span<Complex> large);
  void truncate_spectrum(std::span<const Complex> large, std::span<Complex> small);

  // The same of many, through one pipeline.
  void pad_spectra(std::span<const std::span<Complex>> small, std::span<const std::span<Complex>> large);
  void truncate_spectra(std::span<const std::span<Complex>> large, std::span<const std::span<Complex>> small);

  Fft<T>& grid() { return fine_; }

 private:
  Fft<T> fine_;
  double points_;  // of the coarser grid
  std::shared_ptr<detail::Regrid> regrid_;
  Array<Complex> spectrum_;  // on the finer grid
};

}  // namespace kallima
