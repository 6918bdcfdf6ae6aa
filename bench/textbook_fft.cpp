#include "bench/textbook_fft.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "app/check.hpp"

namespace kallima::cli {
namespace {

using Complex = std::complex<double>;

constexpr Index longest_sum = 64;  // of a prime's transform by definition

Values spectrum_of(const Values& x, const Values& roots) {
  Values spectrum(x.size());
  TextbookWork work;
  textbook_fft(x.data(), 1, spectrum.data(), static_cast<Index>(x.size()), roots, work);
  return spectrum;
}

LongPrime long_prime(Index p) {
  LongPrime made;
  Index m = 1;
  while (m < 2 * p - 1) m *= 2;
  made.roots = roots_of(m);
  const Values halves = roots_of(2 * p);
  for (Index k = 0, square = 0; k < p; square = (square + 2 * k + 1) % (2 * p), ++k)
    made.chirp.push_back(halves[at(square)]);
  Values conjugate(at(m));
  for (Index k = 0; k < p; ++k) conjugate[at(k)] = conjugate[at((m - k) % m)] = std::conj(made.chirp[at(k)]);
  made.spectrum = spectrum_of(conjugate, made.roots);
  return made;
}

// In place. The way back is forward, too, of conjugates.
void convolve(const LongPrime& by, Values& points) {
  Values padded(by.spectrum.size());
  for (std::size_t k = 0; k < points.size(); ++k) padded[k] = points[k] * by.chirp[k];
  Values product = spectrum_of(padded, by.roots);
  for (std::size_t k = 0; k < product.size(); ++k) product[k] = std::conj(product[k] * by.spectrum[k]);
  const Values result = spectrum_of(product, by.roots);
  const double scale = 1 / static_cast<double>(result.size());
  for (std::size_t k = 0; k < points.size(); ++k) points[k] = std::conj(result[k]) * by.chirp[k] * scale;
}

// p terms to what the transform makes of them; `roots` are those of p * step.
void transform_prime(Index p, Index step, const Values& roots, TextbookWork& work) {
  if (p > longest_sum) {
    const auto [known, is_new] = work.primes.try_emplace(p);
    if (is_new) known->second = long_prime(p);
    return convolve(known->second, work.terms);
  }
  work.sums.assign(at(p), 0);
  for (Index r = 0; r < p; ++r)
    for (Index q = 0; q < p; ++q) work.sums[at(r)] += work.terms[at(q)] * roots[at(q * r % p * step)];
  std::swap(work.terms, work.sums);
}

}  // namespace

// Whole quarter turns exactly. Cosines of long doubles take long: all others are products of two.
Values roots_of(Index n) {
  using Long = std::complex<long double>;
  constexpr Complex quarters[] = {{1, 0}, {0, -1}, {-1, 0}, {0, 1}};
  const Index near = static_cast<Index>(std::sqrt(static_cast<double>(n))) + 1;
  const auto turned = [&](Index k) {
    return std::polar(1.0L,
                      -2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n));
  };
  std::vector<Long> first, others;
  for (Index k = 0; k < near; ++k) first.push_back(turned(k));
  for (Index k = 0; k < n; k += near) others.push_back(turned(k));
  Values roots;
  roots.reserve(at(n));
  for (Index k = 0; k < n; ++k) {
    const Long &a = first[at(k % near)], &b = others[at(k / near)];
    const Complex root(static_cast<double>(a.real() * b.real() - a.imag() * b.imag()),
                       static_cast<double>(a.real() * b.imag() + a.imag() * b.real()));
    roots.push_back(4 * k % n == 0 ? quarters[4 * k / n] : root);
  }
  return roots;
}

void textbook_fft(const Complex* x, Index step, Complex* y, Index n, const Values& roots, TextbookWork& work) {
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
    for (Index q = 0; q < p; ++q) work.terms[at(q)] = y[q * m + k] * roots[at(q * k * step)];
    transform_prime(p, m * step, roots, work);
    for (Index r = 0; r < p; ++r) y[k + r * m] = work.terms[at(r)];
  }
}

}  // namespace kallima::cli
