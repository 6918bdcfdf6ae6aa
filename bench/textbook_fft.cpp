#include "bench/textbook_fft.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "app/check.hpp"

namespace kallima::cli {
namespace {

constexpr Index longest_sum = 64;  // of a prime's transform by definition

// Without a look for infinities, for which std::complex calls somebody.
template <class Real>
std::complex<Real> product(const std::complex<Real>& a, const std::complex<Real>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <class Real>
ValuesOf<Real> spectrum_of(const ValuesOf<Real>& x, const ValuesOf<Real>& roots) {
  ValuesOf<Real> spectrum(x.size());
  TextbookWork<Real> work;
  textbook_fft(x.data(), 1, spectrum.data(), static_cast<Index>(x.size()), roots, work);
  return spectrum;
}

template <class Real>
LongPrime<Real> long_prime(Index p) {
  LongPrime<Real> made;
  Index m = 1;
  while (m < 2 * p - 1) m *= 2;
  made.roots = roots_of<Real>(m);
  const ValuesOf<Real> halves = roots_of<Real>(2 * p);
  for (Index k = 0, square = 0; k < p; square = (square + 2 * k + 1) % (2 * p), ++k)
    made.chirp.push_back(halves[at(square)]);
  ValuesOf<Real> conjugate(at(m));
  for (Index k = 0; k < p; ++k) conjugate[at(k)] = conjugate[at((m - k) % m)] = std::conj(made.chirp[at(k)]);
  made.spectrum = spectrum_of(conjugate, made.roots);
  return made;
}

// In place. The way back is forward, too, of conjugates.
template <class Real>
void convolve(const LongPrime<Real>& by, ValuesOf<Real>& points) {
  ValuesOf<Real> padded(by.spectrum.size());
  for (std::size_t k = 0; k < points.size(); ++k) padded[k] = product(points[k], by.chirp[k]);
  ValuesOf<Real> products = spectrum_of(padded, by.roots);
  for (std::size_t k = 0; k < products.size(); ++k) products[k] = std::conj(product(products[k], by.spectrum[k]));
  const ValuesOf<Real> result = spectrum_of(products, by.roots);
  const Real scale = 1 / static_cast<Real>(result.size());
  for (std::size_t k = 0; k < points.size(); ++k) points[k] = product(std::conj(result[k]), by.chirp[k]) * scale;
}

// p terms to what the transform makes of them; `roots` are those of p * step.
template <class Real>
void transform_prime(Index p, Index step, const ValuesOf<Real>& roots, TextbookWork<Real>& work) {
  if (p > longest_sum) {
    const auto [known, is_new] = work.primes.try_emplace(p);
    if (is_new) known->second = long_prime<Real>(p);
    return convolve(known->second, work.terms);
  }
  work.sums.assign(at(p), work.terms[0]);
  for (Index r = 0; r < p; ++r)
    for (Index q = 1; q < p; ++q)
      work.sums[at(r)] += r == 0 ? work.terms[at(q)] : product(work.terms[at(q)], roots[at(q * r % p * step)]);
  std::swap(work.terms, work.sums);
}

}  // namespace

// Whole quarter turns exactly. Cosines of long doubles take long: all others are products of two.
template <class Real>
ValuesOf<Real> roots_of(Index n) {
  using Long = std::complex<long double>;
  const std::complex<Real> quarters[] = {{1, 0}, {0, -1}, {-1, 0}, {0, 1}};
  const Index near = static_cast<Index>(std::sqrt(static_cast<double>(n))) + 1;
  const auto turned = [&](Index k) {
    return std::polar(1.0L,
                      -2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n));
  };
  std::vector<Long> first, others;
  for (Index k = 0; k < near; ++k) first.push_back(turned(k));
  for (Index k = 0; k < n; k += near) others.push_back(turned(k));
  ValuesOf<Real> roots;
  roots.reserve(at(n));
  for (Index k = 0; k < n; ++k) {
    const Long root = product(first[at(k % near)], others[at(k / near)]);
    const std::complex<Real> rounded(static_cast<Real>(root.real()), static_cast<Real>(root.imag()));
    roots.push_back(4 * k % n == 0 ? quarters[4 * k / n] : rounded);
  }
  return roots;
}

template <class Real>
void textbook_fft(const std::complex<Real>* x, Index step, std::complex<Real>* y, Index n, const ValuesOf<Real>& roots,
                  TextbookWork<Real>& work) {
  if (n == 1) {
    *y = *x;
    return;
  }
  Index p = 2;
  while (n % p != 0) p = p * p > n ? n : p + 1;
  const Index m = n / p;
  for (Index q = 0; q < p; ++q) textbook_fft(x + q * step, step * p, y + q * m, m, roots, work);
  work.terms.resize(at(p));
  for (Index k = 0; k < m; ++k) {
    for (Index q = 0; q < p; ++q)
      work.terms[at(q)] = q * k == 0 ? y[q * m + k] : product(y[q * m + k], roots[at(q * k * step)]);
    transform_prime(p, m * step, roots, work);
    for (Index r = 0; r < p; ++r) y[k + r * m] = work.terms[at(r)];
  }
}

#define KALLIMA_TEXTBOOK(Real)                                                                   \
  template ValuesOf<Real> roots_of<Real>(Index);                                                 \
  template void textbook_fft<Real>(const std::complex<Real>*, Index, std::complex<Real>*, Index, \
                                   const ValuesOf<Real>&, TextbookWork<Real>&);
KALLIMA_TEXTBOOK(double)
KALLIMA_TEXTBOOK(long double)

}  // namespace kallima::cli
