#include "kernel/lone_half_line.hpp"

#include <algorithm>

#include "kernel/roots.hpp"
#include "kernel/shared.hpp"

namespace kallima::kernel {

template <class T>
LoneHalfLine<T>::LoneHalfLine(Index length, Kind kind)
    : length_(length),
      to_half_(kind == Kind::real_to_half),
      fft_(is_even() ? length / 2 : length, to_half_ ? Direction::forward : Direction::backward) {
  if (!is_even() || !is_taken()) return;
  const Roots roots(length);
  const Index most = length / 4;
  for (Index k = 0; k <= std::min(most, fine - 1); ++k) fine_.push_back(roots.as<T>(k));
  for (Index k = 0; k <= most; k += fine) coarse_.push_back(roots.as<T>(k));
}

template <class T>
void LoneHalfLine<T>::operator()(const T* in, T* out, Complex* tile) const {
  is_even() ? by_pairs(in, out, tile) : as_complex(in, out, tile);
}

template <class T>
void LoneHalfLine<T>::by_pairs(const T* in, T* out, Complex* tile) const {
  const auto* const from = reinterpret_cast<const Complex*>(in);
  auto* const to = reinterpret_cast<Complex*>(out);
  if (!to_half_) tangle(from, to);
  fft_.run_line(to_half_ ? from : to, to, tile);
  if (to_half_) untangle(to);
}

template <class T>
void LoneHalfLine<T>::as_complex(const T* in, T* out, Complex* tile) const {
  const Index n = length_;
  const auto* const half = reinterpret_cast<const Complex*>(in);
  tile[0] = in[0];
  for (Index k = 1; k < n; ++k) tile[k] = to_half_ ? Complex(in[k]) : 2 * k < n ? half[k] : std::conj(half[n - k]);
  fft_.run_line(tile, tile, tile + n);
  if (to_half_)
    std::copy_n(tile, n / 2 + 1, reinterpret_cast<Complex*>(out));
  else
    for (Index k = 0; k < n; ++k) out[k] = tile[k].real();
}

// Calls visit(k, re, im) with omega_n^k for 0 < k <= n/4.
template <class T>
void LoneHalfLine<T>::each_factor(const auto& visit) const {
  const Index most = length_ / 4;
  for (Index k = 1; k < std::min(fine, most + 1); ++k) visit(k, fine_[at(k)].real(), fine_[at(k)].imag());
  for (Index first = fine; first <= most; first += fine) {
    const T re = coarse_[at(first / fine)].real(), im = coarse_[at(first / fine)].imag();
    const Complex* const w = fine_.data();
    for (Index j = 0; j < std::min(fine, most + 1 - first); ++j)
      visit(first + j, re * w[j].real() - im * w[j].imag(), re * w[j].imag() + im * w[j].real());
  }
}

// The spectra of even and odd reals are told apart by their symmetry, and joined.
template <class T>
void LoneHalfLine<T>::untangle(Complex* spectrum) const {
  const Index m = length_ / 2;
  const Complex zero = spectrum[0];
  spectrum[0] = zero.real() + zero.imag();
  spectrum[m] = zero.real() - zero.imag();
  each_factor([&](Index k, T re, T im) {
    const Complex a = spectrum[k], b = spectrum[m - k];
    const T even_re = (a.real() + b.real()) / 2, even_im = (a.imag() - b.imag()) / 2;
    const T odd_re = (a.imag() + b.imag()) / 2, odd_im = (b.real() - a.real()) / 2;
    const T turned_re = re * odd_re - im * odd_im, turned_im = re * odd_im + im * odd_re;
    spectrum[k] = {even_re + turned_re, even_im + turned_im};
    spectrum[m - k] = {even_re - turned_re, turned_im - even_im};
  });
}

template <class T>
void LoneHalfLine<T>::tangle(const Complex* half, Complex* spectrum) const {
  const Index m = length_ / 2;
  const T first = half[0].real(), last = half[m].real();
  spectrum[0] = {first + last, first - last};
  each_factor([&](Index k, T re, T im) {
    const Complex a = half[k], b = half[m - k];
    const T even_re = a.real() + b.real(), even_im = a.imag() - b.imag();
    const T odd_re = a.real() - b.real(), odd_im = a.imag() + b.imag();
    const T turned_re = re * odd_re + im * odd_im, turned_im = re * odd_im - im * odd_re;
    spectrum[k] = {even_re - turned_im, even_im + turned_re};
    spectrum[m - k] = {even_re + turned_im, turned_re - even_im};
  });
}

template <class T>
std::shared_ptr<const LoneHalfLine<T>> lone_half_line(Index length, Kind kind) {
  auto line = shared_value<LoneHalfLine<T>>(std::pair(length, kind), [&] { return LoneHalfLine<T>(length, kind); });
  return line->is_taken() ? line : nullptr;
}

template class LoneHalfLine<float>;
template class LoneHalfLine<double>;
template class LoneHalfLine<long double>;
template std::shared_ptr<const LoneHalfLine<float>> lone_half_line(Index, Kind);
template std::shared_ptr<const LoneHalfLine<double>> lone_half_line(Index, Kind);
template std::shared_ptr<const LoneHalfLine<long double>> lone_half_line(Index, Kind);

}  // namespace kallima::kernel
