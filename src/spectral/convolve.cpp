// Convolutions: a product of two spectra that lie alike. The linear one is circular, among zeros.

#include "base/check.hpp"
#include "kallima/spectral.hpp"
#include "spectral/regrid.hpp"

namespace kallima {
namespace {

enum class Factor { itself, conjugate };

// The spectrum of `b`, or its conjugate, times that of `a`.
template <class T, class Item>
void multiply_spectra(Fft<T>& fft, std::span<const Item> a, std::span<const Item> b, std::span<Item> c, Factor take) {
  require(fft.plan().data_out() == Data::complex_, "convolutions need a Fourier axis (the problem has only others)");
  check_plain_spectrum(fft.plan().problem());
  Array<std::complex<T>> spectrum(fft.local_size_out());
  fft.forward(b, spectrum.span());
  if (take == Factor::conjugate)
    for (std::complex<T>& value : spectrum) value = std::conj(value);
  fft.apply(a, c, [&](const SpectrumLine<std::complex<T>>& line) {
    for (std::size_t i = 0; i < line.values.size(); ++i) line.values[i] *= spectrum[line.first + static_cast<Index>(i)];
  });
}

Shape padded_shape(const Layout& a, const Layout& b, const Layout& c) {
  Shape shape;
  require(a.shape().size() == b.shape().size() && b.shape().size() == c.shape().size(),
          "arrays of {}, {} and {} differ in their number of dimensions: give all the same", text(a.shape()),
          text(b.shape()), text(c.shape()));
  for (std::size_t k = 0; k < a.shape().size(); ++k) {
    const Index n = a.shape()[k] + b.shape()[k] - 1;
    require(c.shape()[k] == n, "the convolution of {} and {} points has {} along dimension {}, not {}", a.shape()[k],
            b.shape()[k], n, k, c.shape()[k]);
    shape.push_back(smooth_extent(n));
  }
  return shape;
}

IndexRuns first_corner(const Shape& shape) {
  IndexRuns runs;
  for (const Index n : shape) runs.push_back({{0, 0, n}});
  return runs;
}

}  // namespace

template <class T>
void convolve(Fft<T>& fft, RealsIn<T> a, RealsIn<T> b, RealsOut<T> c) {
  multiply_spectra<T, T>(fft, a, b, c, Factor::itself);
}

template <class T>
void convolve(Fft<T>& fft, ComplexIn<T> a, ComplexIn<T> b, ComplexOut<T> c) {
  multiply_spectra<T, std::complex<T>>(fft, a, b, c, Factor::itself);
}

template <class T>
void correlate(Fft<T>& fft, RealsIn<T> a, RealsIn<T> b, RealsOut<T> c) {
  multiply_spectra<T, T>(fft, b, a, c, Factor::conjugate);
}

template <class T>
void correlate(Fft<T>& fft, ComplexIn<T> a, ComplexIn<T> b, ComplexOut<T> c) {
  multiply_spectra<T, std::complex<T>>(fft, b, a, c, Factor::conjugate);
}

template <class T>
LinearConvolution<T>::LinearConvolution(const Layout& a, const Layout& b, const Layout& c, Data data, const Comm& comm,
                                        const FftOptions& options)
    : fft_({.shape = padded_shape(a, b, c), .output = Output::any, .data = data}, comm, options) {
  for (const Layout& layout : {a, b, c})
    parts_.emplace_back(layout, fft_.layout_in(), first_corner(layout.shape()), data, detail::precision_of<T>, comm,
                        options);
}

template <class T>
LinearConvolution<T>::LinearConvolution(LinearConvolution&&) noexcept = default;

template <class T>
LinearConvolution<T>& LinearConvolution<T>::operator=(LinearConvolution&&) noexcept = default;

template <class T>
LinearConvolution<T>::~LinearConvolution() = default;

template <class T>
template <class Item>
void LinearConvolution<T>::run_items(std::span<const Item> a, std::span<const Item> b, std::span<Item> c) {
  Array<Item> first(fft_.local_size_in()), second(fft_.local_size_in());
  parts_[0].grow(a, first.span());
  parts_[1].grow(b, second.span());
  multiply_spectra<T, Item>(fft_, first.span(), second.span(), first.span(), Factor::itself);
  parts_[2].shrink(first.span(), c);
}

template <class T>
void LinearConvolution<T>::run(std::span<const T> a, std::span<const T> b, std::span<T> c) {
  run_items(a, b, c);
}

template <class T>
void LinearConvolution<T>::run(std::span<const Complex> a, std::span<const Complex> b, std::span<Complex> c) {
  run_items(a, b, c);
}

#define KALLIMA_CONVOLVE(T)                                                       \
  template void convolve<T>(Fft<T>&, RealsIn<T>, RealsIn<T>, RealsOut<T>);        \
  template void convolve<T>(Fft<T>&, ComplexIn<T>, ComplexIn<T>, ComplexOut<T>);  \
  template void correlate<T>(Fft<T>&, RealsIn<T>, RealsIn<T>, RealsOut<T>);       \
  template void correlate<T>(Fft<T>&, ComplexIn<T>, ComplexIn<T>, ComplexOut<T>); \
  template class LinearConvolution<T>;

KALLIMA_CONVOLVE(float)
KALLIMA_CONVOLVE(double)
KALLIMA_CONVOLVE(long double)

}  // namespace kallima
