// Convolutions: a product of two spectra that lie alike. The linear one is circular, among zeros.

#include "base/check.hpp"
#include "kallima/spectral.hpp"
#include "spectral/regrid.hpp"

namespace kallima {
namespace {

enum class Factor { itself, conjugate };

// The spectrum of `b`, or its conjugate, times that of `a`.
template <class T>
void multiply_spectra(Fft<T>& fft, const typename Fft<T>::In& a, const typename Fft<T>::In& b,
                      const typename Fft<T>::Out& c, Factor take) {
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
void convolve(Fft<T>& fft, typename Fft<T>::In a, typename Fft<T>::In b, typename Fft<T>::Out c) {
  multiply_spectra(fft, a, b, c, Factor::itself);
}

template <class T>
void correlate(Fft<T>& fft, typename Fft<T>::In a, typename Fft<T>::In b, typename Fft<T>::Out c) {
  multiply_spectra(fft, b, a, c, Factor::conjugate);
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
void LinearConvolution<T>::run(In a, In b, Out c) {
  const bool real = fft_.plan().data_in() == Data::real_;
  const Index count = fft_.local_size_in() * (real ? 1 : 2);
  const Array<T> first(count), second(count);
  const auto array = [&](const Array<T>& reals) {
    if (real) return Out(reals.span());
    return Out(std::span(reinterpret_cast<std::complex<T>*>(reals.data()), static_cast<std::size_t>(count / 2)));
  };
  const auto filled = [&](const Array<T>& reals) {
    if (real) return In(reals.span());
    return In(std::span(reinterpret_cast<const std::complex<T>*>(reals.data()), static_cast<std::size_t>(count / 2)));
  };
  parts_[0].grow(a, array(first));
  parts_[1].grow(b, array(second));
  multiply_spectra(fft_, filled(first), filled(second), array(first), Factor::itself);
  parts_[2].shrink(filled(first), c);
}

#define KALLIMA_CONVOLVE(T)                                                                            \
  template void convolve<T>(Fft<T>&, typename Fft<T>::In, typename Fft<T>::In, typename Fft<T>::Out);  \
  template void correlate<T>(Fft<T>&, typename Fft<T>::In, typename Fft<T>::In, typename Fft<T>::Out); \
  template class LinearConvolution<T>;

KALLIMA_CONVOLVE(float)
KALLIMA_CONVOLVE(double)
KALLIMA_CONVOLVE(long double)

}  // namespace kallima
