#include "kernel/small_dft.hpp"

#include <cstring>

namespace kallima::kernel {
namespace {

// Four complex numbers, real and imaginary parts alternating; the compiler maps it to whatever registers there are.
template <class T>
struct Pack {
  typedef T Vector __attribute__((vector_size(8 * sizeof(T))));
  static constexpr Index lanes = 4;
  Vector v;

  static Pack load(const std::complex<T>* p) {
    Pack x;
    std::memcpy(&x.v, static_cast<const void*>(p), sizeof x.v);
    return x;
  }
  void store(std::complex<T>* p) const { std::memcpy(static_cast<void*>(p), &v, sizeof v); }
  Pack swapped() const { return {__builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6)}; }
  friend Pack operator+(Pack a, Pack b) { return {a.v + b.v}; }
  friend Pack operator-(Pack a, Pack b) { return {a.v - b.v}; }
  friend Pack operator*(T s, Pack a) { return {s * a.v}; }
  Pack rotated(T sign) const {  // times sign * i
    const Vector s{-sign, sign, -sign, sign, -sign, sign, -sign, sign};
    return {swapped().v * s};
  }
  Pack times(std::complex<T> w) const { return {v * w.real() + rotated(w.imag()).v}; }
};

// In each, `i` is the sign of the imaginary unit in the exponent: -1 forward, +1 backward.
template <class T>
void dft(Pack<T> (&x)[2], T) {
  const Pack<T> a = x[0];
  x[0] = a + x[1];
  x[1] = a - x[1];
}

template <class T>
void dft(Pack<T> (&x)[3], T i) {
  constexpr T s = static_cast<T>(0.866025403784438646763723170752936183L);
  const Pack<T> sum = x[1] + x[2];
  const Pack<T> turn = (s * (x[1] - x[2])).rotated(i);
  const Pack<T> mid = x[0] - T(0.5) * sum;
  x[0] = x[0] + sum;
  x[1] = mid + turn;
  x[2] = mid - turn;
}

template <class T>
void dft(Pack<T> (&x)[4], T i) {
  const Pack<T> a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = (x[1] - x[3]).rotated(i);
  x[0] = a + c;
  x[1] = b + d;
  x[2] = a - c;
  x[3] = b - d;
}

template <class T>
void dft(Pack<T> (&x)[5], T i) {
  constexpr T c1 = static_cast<T>(0.309016994374947424102293417182819059L);
  constexpr T c2 = static_cast<T>(-0.809016994374947424102293417182819059L);
  constexpr T s1 = static_cast<T>(0.951056516295153572116439333379382143L);
  constexpr T s2 = static_cast<T>(0.587785252292473129168705954639072769L);
  const Pack<T> p1 = x[1] + x[4], m1 = x[1] - x[4], p2 = x[2] + x[3], m2 = x[2] - x[3];
  const Pack<T> e1 = x[0] + c1 * p1 + c2 * p2, e2 = x[0] + c2 * p1 + c1 * p2;
  const Pack<T> o1 = (s1 * m1 + s2 * m2).rotated(i), o2 = (s2 * m1 - s1 * m2).rotated(i);
  x[0] = x[0] + p1 + p2;
  x[1] = e1 + o1;
  x[4] = e1 - o1;
  x[2] = e2 + o2;
  x[3] = e2 - o2;
}

template <class T>
void dft(Pack<T> (&x)[8], T i) {
  constexpr T r = static_cast<T>(0.707106781186547524400844362104849039L);
  Pack<T> even[4] = {x[0], x[2], x[4], x[6]};
  Pack<T> odd[4] = {x[1], x[3], x[5], x[7]};
  dft(even, i);
  dft(odd, i);
  odd[1] = r * (odd[1] + odd[1].rotated(i));
  odd[2] = odd[2].rotated(i);
  odd[3] = r * (odd[3].rotated(i) - odd[3]);
  for (int k = 0; k < 4; ++k) {
    x[k] = even[k] + odd[k];
    x[k + 4] = even[k] - odd[k];
  }
}

template <class T, int N>
void four_lanes(T sign, const std::complex<T>* const* in, std::complex<T>* const* out, Index at,
                const std::complex<T>* w, T scale) {
  Pack<T> x[N];
  for (int k = 0; k < N; ++k) x[k] = Pack<T>::load(in[k] + at);
  dft(x, sign);
  for (int k = 0; k < N; ++k) {
    if (w != nullptr)
      x[k] = x[k].times(w[k]);
    else if (scale != T(1))
      x[k] = scale * x[k];
    x[k].store(out[k] + at);
  }
}

template <class T, int N>
void run(Direction direction, const std::complex<T>* const* in, std::complex<T>* const* out, Index lanes,
         const std::complex<T>* w, T scale) {
  const T sign = direction == Direction::forward ? T(-1) : T(1);
  std::complex<T> factors[N];
  if (w != nullptr) {
    for (int k = 0; k < N; ++k) factors[k] = {w[k].real() * scale, w[k].imag() * scale};
    w = factors;
  }
  Index at = 0;
  for (; at + Pack<T>::lanes <= lanes; at += Pack<T>::lanes) four_lanes<T, N>(sign, in, out, at, w, scale);
  if (at == lanes) return;
  std::complex<T> rest[N][Pack<T>::lanes] = {};  // the last one to three lanes, padded
  const std::complex<T>* rest_in[N];
  std::complex<T>* rest_out[N];
  for (int k = 0; k < N; ++k) {
    std::copy(in[k] + at, in[k] + lanes, rest[k]);
    rest_in[k] = rest_out[k] = rest[k];
  }
  four_lanes<T, N>(sign, rest_in, rest_out, 0, w, scale);
  for (int k = 0; k < N; ++k) std::copy(rest[k], rest[k] + (lanes - at), out[k] + at);
}

}  // namespace

bool has_small_dft(Index length) { return (length >= 2 && length <= 5) || length == 8; }

template <class T>
void small_dft(Index length, Direction direction, const std::complex<T>* const* in, std::complex<T>* const* out,
               Index lanes, const std::complex<T>* w, T scale) {
  switch (length) {
    case 2: return run<T, 2>(direction, in, out, lanes, w, scale);
    case 3: return run<T, 3>(direction, in, out, lanes, w, scale);
    case 4: return run<T, 4>(direction, in, out, lanes, w, scale);
    case 5: return run<T, 5>(direction, in, out, lanes, w, scale);
    case 8: return run<T, 8>(direction, in, out, lanes, w, scale);
    default: break;
  }
}

template void small_dft<float>(Index, Direction, const std::complex<float>* const*, std::complex<float>* const*, Index,
                               const std::complex<float>*, float);
template void small_dft<double>(Index, Direction, const std::complex<double>* const*, std::complex<double>* const*,
                                Index, const std::complex<double>*, double);

}  // namespace kallima::kernel
