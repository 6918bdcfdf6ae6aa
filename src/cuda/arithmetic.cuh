#pragma once
// Complex numbers and small transforms in registers.

#include <cuda_runtime.h>

namespace kallima::cuda {

template <class T>
struct alignas(2 * sizeof(T)) Pair {
  T x, y;
};

template <class T>
__device__ inline Pair<T> operator+(Pair<T> a, Pair<T> b) {
  return {a.x + b.x, a.y + b.y};
}
template <class T>
__device__ inline Pair<T> operator-(Pair<T> a, Pair<T> b) {
  return {a.x - b.x, a.y - b.y};
}
template <class T>
__device__ inline Pair<T> operator*(Pair<T> a, Pair<T> b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
template <class T>
__device__ inline Pair<T> operator*(Pair<T> a, T s) {
  return {a.x * s, a.y * s};
}

// Times sign * i.
template <class T>
__device__ inline Pair<T> turned(Pair<T> a, T sign) {
  return {-sign * a.y, sign * a.x};
}

template <class T>
__device__ inline void dft2(Pair<T>& a, Pair<T>& b) {
  const Pair<T> sum = a + b;
  b = a - b;
  a = sum;
}

template <class T>
__device__ inline void dft4(Pair<T>& a, Pair<T>& b, Pair<T>& c, Pair<T>& d, T sign) {
  dft2(a, c);
  dft2(b, d);
  d = turned(d, sign);
  dft2(a, b);
  dft2(c, d);
  const Pair<T> second = c;  // of results 0 to 3 in a, c, b, d
  c = b;
  b = second;
}

// Transforms of R points in place; `step` roots apart, the roots of R are among those of the line.
template <int R, class T>
__device__ inline void dft(Pair<T> (&x)[R], T sign, const Pair<T>* roots, int step) {
  if constexpr (R == 2) {
    dft2(x[0], x[1]);
  } else if constexpr (R == 4) {
    dft4(x[0], x[1], x[2], x[3], sign);
  } else if constexpr (R == 8) {
    const T h = T(0.70710678118654752440084436210485);
    dft4(x[0], x[2], x[4], x[6], sign);
    dft4(x[1], x[3], x[5], x[7], sign);
    x[3] = (x[3] + turned(x[3], sign)) * h;
    x[5] = turned(x[5], sign);
    x[7] = (turned(x[7], sign) - x[7]) * h;
    dft2(x[0], x[1]);
    dft2(x[2], x[3]);
    dft2(x[4], x[5]);
    dft2(x[6], x[7]);
    const Pair<T> y1 = x[2], y2 = x[4], y3 = x[6], y4 = x[1], y5 = x[3], y6 = x[5];
    x[1] = y1, x[2] = y2, x[3] = y3, x[4] = y4, x[5] = y5, x[6] = y6;
  } else {  // odd: x[k] and x[R-k] are used together
    constexpr int half = (R - 1) / 2;
    T c[half + 1], s[half + 1];
    Pair<T> plus[half + 1], minus[half + 1], first = x[0];
#pragma unroll
    for (int k = 1; k <= half; ++k) {
      c[k] = roots[k * step].x;
      s[k] = -sign * roots[k * step].y;
      plus[k] = x[k] + x[R - k];
      minus[k] = x[k] - x[R - k];
      first = first + plus[k];
    }
#pragma unroll
    for (int q = 1; q <= half; ++q) {
      Pair<T> even = x[0], odd = {0, 0};
#pragma unroll
      for (int k = 1; k <= half; ++k) {
        const int e = q * k % R, f = e <= half ? e : R - e;
        even = even + plus[k] * c[f];
        odd = odd + minus[k] * (e <= half ? s[f] : -s[f]);
      }
      // odd has the sines of the exponents' signs; times i it is what the cosines lack.
      const Pair<T> rest = {-odd.y, odd.x};
      minus[0] = even + rest;
      plus[0] = even - rest;
      x[q] = minus[0];  // q and R-q are written when nobody reads x any more but x[0]
      x[R - q] = plus[0];
    }
    x[0] = first;
  }
}

// Called, not inlined: what they need of registers is no more than a radix does, and most lines need them not at all.
// exp(sign 2 pi i e/m), e < m: whole quarter turns are taken off exactly.
__device__ __noinline__ inline double2 root_of(unsigned long long e, unsigned long long m, double sign) {
  const double quarters = rint(4.0 * static_cast<double>(e) / static_cast<double>(m));
  const long long q = static_cast<long long>(quarters);
  const long long rest = static_cast<long long>(4 * e) - q * static_cast<long long>(m);
  double s, c;
  sincospi(0.5 * static_cast<double>(rest) / static_cast<double>(m), &s, &c);
  switch (q & 3) {
    case 0:
      return {c, sign * s};
    case 1:
      return {-s, sign * c};
    case 2:
      return {-c, -sign * s};
    default:
      return {s, -sign * c};
  }
}

// a b modulo m, a and b below it.
__device__ __noinline__ inline unsigned long long product_modulo(unsigned long long a, unsigned long long b,
                                                                 unsigned long long m) {
  if ((m & (m - 1)) == 0) return (a * b) & (m - 1);
  if (__umul64hi(a, b) == 0) return a * b % m;
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b % m);
}

}  // namespace kallima::cuda
