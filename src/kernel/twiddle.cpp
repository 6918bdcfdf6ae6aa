#include "kernel/twiddle.hpp"

#include "base/int128.hpp"
#include "kernel/roots.hpp"

namespace kallima::kernel {
namespace {

constexpr Index largest_single_table = Index{1} << 17;  // entries: larger ones would crowd the data out of the caches
constexpr Index fine_rows = 8;

// Rows i = 0 .. count-1 of omega^(k (shift + step i)), k = 0 .. length-1.
template <class T>
std::vector<std::complex<T>> table(const Roots& roots, const Twiddle& t, Index shift, Index step, Index count,
                                   Index length, Direction direction) {
  std::vector<std::complex<T>> rows;
  rows.reserve(static_cast<std::size_t>(count * length));
  for (Index i = 0; i < count; ++i) {
    const Index increment = static_cast<Index>((static_cast<Int128>(step) * i + shift) % t.modulus);
    for (Index k = 0, exponent = 0; k < length; ++k) {
      const std::complex<double> w = roots(exponent);
      rows.emplace_back(static_cast<T>(w.real()),
                        static_cast<T>(direction == Direction::forward ? w.imag() : -w.imag()));
      exponent += increment;
      if (exponent >= t.modulus) exponent -= t.modulus;
    }
  }
  return rows;
}

// std::complex multiplication checks for infinities; these loops are plain arithmetic, so that they vectorise.
template <class T>
void multiply_one(T* __restrict x, const T* __restrict w, Index n, T scale) {
  for (Index k = 0; k < n; ++k) {
    const T c = w[2 * k] * scale;
    const T s = w[2 * k + 1] * scale;
    const T re = x[2 * k] * c - x[2 * k + 1] * s;
    x[2 * k + 1] = x[2 * k] * s + x[2 * k + 1] * c;
    x[2 * k] = re;
  }
}

template <class T>
void multiply_two(T* __restrict x, const T* __restrict v, const T* __restrict w, Index n, T scale) {
  for (Index k = 0; k < n; ++k) {
    const T c = (v[2 * k] * w[2 * k] - v[2 * k + 1] * w[2 * k + 1]) * scale;
    const T s = (v[2 * k] * w[2 * k + 1] + v[2 * k + 1] * w[2 * k]) * scale;
    const T re = x[2 * k] * c - x[2 * k + 1] * s;
    x[2 * k + 1] = x[2 * k] * s + x[2 * k + 1] * c;
    x[2 * k] = re;
  }
}

template <class T>
T* reals(std::complex<T>* z) {
  return reinterpret_cast<T*>(z);
}

template <class T>
const T* reals(const std::complex<T>* z) {
  return reinterpret_cast<const T*>(z);
}

}  // namespace

template <class T>
TwiddleTable<T>::TwiddleTable(const Twiddle& t, Index length, const std::vector<Index>& loops, Direction direction)
    : length_(length) {
  if (t.modulus == 0 || length == 1) return;
  const Index rows = t.loop < 0 || t.step == 0 ? 1 : loops[static_cast<std::size_t>(t.loop)];
  if (rows == 1 && t.shift == 0) return;  // all factors are 1
  const Roots roots(t.modulus);
  if (rows > 1) loop_ = t.loop;
  if (rows * length > largest_single_table && rows > fine_rows) {
    fine_count_ = fine_rows;
    fine_ = table<T>(roots, t, 0, t.step, fine_rows, length, direction);
  }
  const Index coarse_rows = (rows + fine_count_ - 1) / fine_count_;
  coarse_ = table<T>(roots, t, t.shift, t.step * fine_count_, coarse_rows, length, direction);
}

template <class T>
void TwiddleTable<T>::multiply(std::complex<T>* line, Index i, T scale) const {
  if (fine_.empty())
    multiply_one(reals(line), reals(row(i)), length_, scale);
  else
    multiply_two(reals(line), reals(row(i / fine_count_)),
                 reals(&fine_[static_cast<std::size_t>(i % fine_count_ * length_)]), length_, scale);
}

template <class T>
void multiply(std::complex<T>* line, Index count, T scale) {
  T* x = reals(line);
  for (Index k = 0; k < 2 * count; ++k) x[k] *= scale;
}

template class TwiddleTable<float>;
template class TwiddleTable<double>;
template void multiply<float>(std::complex<float>*, Index, float);
template void multiply<double>(std::complex<double>*, Index, double);

}  // namespace kallima::kernel
