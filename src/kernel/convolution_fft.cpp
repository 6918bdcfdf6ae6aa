#include "kernel/convolution_fft.hpp"

#include <algorithm>

#include "base/bits.hpp"
#include "kernel/roots.hpp"

namespace kallima::kernel {
namespace {

Index times_modulo(Index a, Index b, Index n) { return static_cast<Index>(static_cast<Int128>(a) * b % n); }

Index power_modulo(Index base, Index exponent, Index n) {
  Index result = 1;
  for (; exponent > 0; exponent /= 2, base = times_modulo(base, base, n))
    if (exponent % 2 == 1) result = times_modulo(result, base, n);
  return result;
}

// The smallest number whose powers are all residues of p but 0.
Index primitive_root(Index p) {
  std::vector<Index> factors;
  Index left = p - 1;
  for (Index d = 2; d * d <= left; ++d)
    for (; left % d == 0; left /= d)
      if (factors.empty() || factors.back() != d) factors.push_back(d);
  if (left > 1) factors.push_back(left);
  const auto generates = [&](Index g) {
    return std::ranges::all_of(factors, [&](Index f) { return power_modulo(g, (p - 1) / f, p) != 1; });
  };
  Index g = 2;
  while (!generates(g)) ++g;
  return g;
}

// The least product of powers of 2, 3 and 5, four times something, that is not below n.
Index smooth_from(Index n) {
  Index best = 4;
  while (best < n) best *= 2;
  for (Index fives = 4; fives < best; fives *= 5)
    for (Index threes = fives; threes < best; threes *= 3) {
      Index m = threes;
      while (m < n) m *= 2;
      best = std::min(best, m);
    }
  return best;
}

bool by_rader(Index n) { return has_small_factors(n - 1) && is_prime(n); }
Index convolution_length(Index p) { return by_rader(p) ? p - 1 : smooth_from(2 * p - 1); }

constexpr std::size_t longest_exactly = 1 << 14;  // it takes milliseconds
template <class T>
using Wider = std::conditional_t<std::is_same_v<T, float>, double, long double>;

// Replaces a line by its transform, divided by its length, as computed in numbers of type W.
template <class W, class T>
void divide_transform(std::vector<std::complex<T>>& line) {
  const Index n = static_cast<Index>(line.size()), lanes = LaneFft<W>::granularity();
  const LaneFft<W> fft(n, Direction::forward);
  std::vector<std::complex<W>> rows(at(n * lanes)), tile(at(fft.tile_elements(lanes)));
  for (Index k = 0; k < n; ++k) rows[at(k * lanes)] = std::complex<W>(line[at(k)]);
  fft({{.base = rows.data(), .pitch = lanes, .lane_stride = 1},
       {.base = rows.data(), .pitch = lanes, .lane_stride = 1}},
      0, lanes, {.scale = W(1) / static_cast<W>(n)}, tile.data());
  for (Index k = 0; k < n; ++k) line[at(k)] = std::complex<T>(rows[at(k * lanes)]);
}

}  // namespace

template <class T>
ConvolutionFft<T>::ConvolutionFft(Index length, Direction direction)
    : length_(length),
      direction_(direction),
      there_(convolution_length(length), Direction::forward),
      back_(convolution_length(length), Direction::backward) {
  if (by_rader(length))
    find_powers();
  else
    find_chirp();
  if (spectrum_.size() <= longest_exactly)
    divide_transform<Wider<T>>(spectrum_);
  else
    divide_transform<T>(spectrum_);
  if (!powers_.empty()) spectrum_[0] = 1;  // it is -1/n, which is put in where the sum of all is looked at
}

template <class T>
void ConvolutionFft<T>::find_powers() {
  const Index root = primitive_root(length_), inverse = power_modulo(root, length_ - 2, length_);
  const Roots roots(length_);
  for (Index k = 0, up = 1, down = 1; k < length_ - 1; ++k) {
    powers_.push_back(up);
    spectrum_.push_back(roots.as<T>(down));
    up = times_modulo(up, root, length_);
    down = times_modulo(down, inverse, length_);
  }
}

template <class T>
void ConvolutionFft<T>::find_chirp() {
  const std::size_t n = at(convolution_length(length_));
  const Roots roots(2 * length_);
  chirp_.resize(n);
  spectrum_.resize(n);
  for (Index k = 0; k < length_; ++k) {
    const Complex w = roots.as<T>(times_modulo(k, k, 2 * length_));
    chirp_[at(k)] = w;
    spectrum_[at(k)] = std::conj(w);
    if (k > 0) spectrum_[n - at(k)] = std::conj(w);
  }
  for (const Complex& w : chirp_) unchirp_.push_back(std::conj(w));
}

// The elements, what becomes of them, the order of the powers, and what the transforms need.
template <class T>
Index ConvolutionFft<T>::tile_elements(Index lanes) const {
  const Index order =
      powers_.empty() ? 0 : 2 * points() * static_cast<Index>(sizeof(Row<Complex>)) / sizeof_complex + 1;
  return spread_row<T>(std::max(points(), length_), lanes) + spread_row<T>(points(), lanes) + order +
         std::max(there_.tile_elements(lanes), back_.tile_elements(lanes));
}

template <class T>
void ConvolutionFft<T>::operator()(const Rows& rows, Index first, Index lanes, const Factors& factors,
                                   Complex* tile) const {
  const Index pitch = spread_row<T>(1, lanes);
  const auto in_tile = [&](Complex* at) { return RowList<Complex>{.base = at, .pitch = pitch, .lane_stride = 1}; };
  const RowsOf<T> elements = rows_of<T>(in_tile(tile), 0, lanes);
  Complex* const product = tile + spread_row<T>(std::max(points(), length_), lanes);
  const ButterflyCodelet<T> copy = codelets<T>().butterflies(1);
  copy({.in = rows_of<T>(rows.in, first, lanes),
        .out = elements,
        .count = length_,
        .lanes = lanes,
        .multiply = powers_.empty() ? Multiply::by_pair : Multiply::not_at_all,
        .pairs = chirp_.data()});
  convolve(tile, product, lanes);
  Butterflies<T> last{.in = elements,
                      .out = rows_of<T>(rows.out, first, lanes),
                      .count = length_,
                      .lanes = lanes,
                      .reversed = direction_ == Direction::forward ? 0 : length_};
  factors.tell(last, direction_);
  copy(last);
}

template <class T>
void ConvolutionFft<T>::convolve(Complex* elements, Complex* product, Index lanes) const {
  const Index n = points(), pitch = spread_row<T>(1, lanes);
  Complex* const after = product + spread_row<T>(n, lanes);
  const RowList<Complex> between{.base = product, .pitch = pitch, .lane_stride = 1};
  const RowList<const Complex> and_back{.base = product, .pitch = pitch, .lane_stride = 1};
  if (powers_.empty()) {
    for (Index k = length_; k < n; ++k) std::fill_n(elements + k * pitch, lanes, Complex(0));
    there_({{.base = elements, .pitch = pitch, .lane_stride = 1}, between}, 0, lanes, {.row = spectrum_.data()}, after);
    back_({and_back, {.base = elements, .pitch = pitch, .lane_stride = 1}}, 0, lanes, {.row = unchirp_.data()}, after);
    return;
  }
  auto* const up = reinterpret_cast<Row<const Complex>*>(after);
  auto* const down = reinterpret_cast<Row<Complex>*>(up + n);
  Complex* const scratch = after + 2 * n * static_cast<Index>(sizeof(Row<Complex>)) / sizeof_complex + 1;
  for (Index k = 0; k < n; ++k) {
    up[k] = {elements + powers_[at(k)] * pitch, 1};
    down[k] = {elements + powers_[at(k == 0 ? 0 : n - k)] * pitch, 1};
  }
  there_({{.rows = up, .lane_stride = 1}, between}, 0, lanes, {.row = spectrum_.data()}, scratch);
  for (Index b = 0; b < lanes; ++b) {
    const Complex zeroth = elements[b], sum = product[b];
    elements[b] = zeroth + sum;
    product[b] = zeroth - sum / static_cast<T>(n);
  }
  back_({and_back, {.rows = down, .lane_stride = 1}}, 0, lanes, {}, scratch);
}

template <class T>
void ConvolutionFft<T>::run_line(const Complex* in, Complex* out, Complex* tile) const {
  const Index n = points();
  Complex* const line = tile;
  Complex* const scratch = tile + n;
  const auto multiply = [](Complex a, Complex b) {
    return Complex(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  };
  const auto times = [&](const std::vector<Complex>& factors) {
    for (Index k = 0; k < n; ++k) line[k] = multiply(line[k], factors[at(k)]);
  };
  const auto place = [&](Index k) { return direction_ == Direction::forward || k == 0 ? k : length_ - k; };
  if (powers_.empty()) {
    std::copy_n(in, length_, line);
    std::fill(line + length_, line + n, Complex(0));
    times(chirp_);
    there_.run_line(line, line, scratch);
    times(spectrum_);
    back_.run_line(line, line, scratch);
    for (Index k = 0; k < length_; ++k) out[place(k)] = multiply(line[k], chirp_[at(k)]);
    return;
  }
  const Complex zeroth = in[0];
  for (Index k = 0; k < n; ++k) line[k] = in[powers_[at(k)]];
  there_.run_line(line, line, scratch);
  const Complex sum = line[0];
  times(spectrum_);
  line[0] = zeroth - sum / static_cast<T>(n);
  back_.run_line(line, line, scratch);
  out[0] = zeroth + sum;
  for (Index k = 0; k < n; ++k) out[place(powers_[at(k == 0 ? 0 : n - k)])] = line[k];
}

template class ConvolutionFft<float>;
template class ConvolutionFft<double>;
template class ConvolutionFft<long double>;

}  // namespace kallima::kernel
