#pragma once
// Forward transforms of a few points, each point a Pack, all in registers as far as there are enough. Small primes, and
// 9, are written by the symmetry of their roots, 2, 4 and 8 by hand; all others are two rounds of smaller ones.

#include <numeric>

#include "kernel/cpu/pack.hpp"

namespace kallima::kernel {
namespace {

struct ExactRoot {
  long double c, s;
};

// exp(-2 pi i k/n), by power series of at most an eighth of a turn: constants have to be known to the compiler.
constexpr ExactRoot exact_root(int k, int n) {
  k %= n;
  const int quarter = (8 * k / n + 1) / 2;
  const long double pi = 3.141592653589793238462643383279502884L;
  const long double x = pi / 2 * static_cast<long double>(4 * k - quarter * n) / static_cast<long double>(n);
  long double c = 0, s = 0, term = 1;
  for (int i = 0; i < 40; ++i) {
    const long double sign = i % 4 < 2 ? 1 : -1;
    (i % 2 == 0 ? c : s) += sign * term;
    term *= x / static_cast<long double>(i + 1);
  }
  for (int q = 0; q < quarter % 4; ++q) {
    const long double old = c;
    c = -s;
    s = old;
  }
  return {c, -s};
}

// Times exp(-2 pi i k/n).
template <int k, int n, class T>
KALLIMA_INLINE Pack<T> rotated(Pack<T> x) {
  constexpr int eighths = 8 * (k % n) / n;
  if constexpr (8 * (k % n) == eighths * n && eighths % 2 == 0) {
    if constexpr (eighths == 0) return x;
    if constexpr (eighths == 2) return Pack<T>::all(0, 0).minus_i(x);
    if constexpr (eighths == 4) return x.negated();
    if constexpr (eighths == 6) return Pack<T>::all(0, 0).plus_i(x);
  } else if constexpr (8 * (k % n) == eighths * n) {
    constexpr T r = static_cast<T>(0.707106781186547524400844362104849039L);
    if constexpr (eighths == 1) return r * x.minus_i(x);
    if constexpr (eighths == 3) return (-r) * x.plus_i(x);
    if constexpr (eighths == 5) return (-r) * x.minus_i(x);
    if constexpr (eighths == 7) return r * x.plus_i(x);
  } else {
    constexpr ExactRoot w = exact_root(k, n);
    constexpr T c = static_cast<T>(w.c), s = static_cast<T>(w.s);
    return x.times(c, s);
  }
}

// An odd number: outputs k and n-k differ in the sign of what comes from differences of inputs. 9 points round less so
// than in two rounds of 3, and take as long.
template <class T, int n>
KALLIMA_INLINE void odd_butterfly(Pack<T> (&x)[n]) {
  constexpr int half = n / 2;
  Pack<T> sum[half], difference[half];
  unrolled<half>([&](auto j) KALLIMA_INLINED {
    sum[j] = x[j + 1] + x[n - 1 - j];
    difference[j] = x[j + 1] - x[n - 1 - j];
  });
  const Pack<T> first = x[0];
  unrolled<half>([&](auto j) KALLIMA_INLINED { x[0] = x[0] + sum[j]; });
  unrolled<half>([&](auto k) KALLIMA_INLINED {
    constexpr ExactRoot one = exact_root(k + 1, n);
    Pack<T> even = first + static_cast<T>(one.c) * sum[0];
    Pack<T> odd = static_cast<T>(one.s) * difference[0];
    unrolled<half, 1>([&](auto j) KALLIMA_INLINED {
      constexpr ExactRoot w = exact_root((k + 1) * (j + 1), n);
      constexpr T c = static_cast<T>(w.c), s = static_cast<T>(w.s);
      even = even + c * sum[j];
      odd = odd + s * difference[j];
    });
    x[k + 1] = even.plus_i(odd);
    x[n - 1 - k] = even.minus_i(odd);
  });
}

template <class T>
KALLIMA_INLINE void butterfly(Pack<T> (&)[1]) {}

template <class T>
KALLIMA_INLINE void butterfly(Pack<T> (&x)[2]) {
  const Pack<T> a = x[0];
  x[0] = a + x[1];
  x[1] = a - x[1];
}

template <class T>
KALLIMA_INLINE void butterfly(Pack<T> (&x)[3]) {
  constexpr T s = static_cast<T>(0.866025403784438646763723170752936183L);
  const Pack<T> sum = x[1] + x[2];
  const Pack<T> turn = s * (x[1] - x[2]);
  const Pack<T> mid = x[0] - T(0.5) * sum;
  x[0] = x[0] + sum;
  x[1] = mid.minus_i(turn);
  x[2] = mid.plus_i(turn);
}

template <class T>
KALLIMA_INLINE void butterfly(Pack<T> (&x)[4]) {
  const Pack<T> a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = x[1] - x[3];
  x[0] = a + c;
  x[1] = b.minus_i(d);
  x[2] = a - c;
  x[3] = b.plus_i(d);
}

template <class T, int n>
requires(n == 5 || n == 7 || n == 9 || n == 11 || n == 13) KALLIMA_INLINE void butterfly(Pack<T> (&x)[n]) {
  odd_butterfly(x);
}

template <class T>
KALLIMA_INLINE void butterfly(Pack<T> (&x)[8]) {
  constexpr T r = static_cast<T>(0.707106781186547524400844362104849039L);
  Pack<T> even[4] = {x[0], x[2], x[4], x[6]};
  Pack<T> odd[4] = {x[1], x[3], x[5], x[7]};
  butterfly(even);
  butterfly(odd);
  odd[1] = odd[1].minus_i(odd[1]);
  odd[3] = odd[3].plus_i(odd[3]);
  x[0] = even[0] + odd[0];
  x[4] = even[0] - odd[0];
  x[1] = even[1] + r * odd[1];
  x[5] = even[1] - r * odd[1];
  x[2] = even[2].minus_i(odd[2]);
  x[6] = even[2].plus_i(odd[2]);
  x[3] = even[3] - r * odd[3];
  x[7] = even[3] + r * odd[3];
}

// Where point (i, j) of a * b points stands, and result (i, j). Where a and b have no common factor, Good's order
// spares the rotations between the rounds.
template <int a, int b>
struct TwoRounds {
  static constexpr bool coprime = std::gcd(a, b) == 1;
  static constexpr int point(int i, int j) { return coprime ? (i * b + j * a) % (a * b) : i * b + j; }
  static constexpr int result(int i, int j) {
    int k = i;
    if (!coprime) return i + a * j;
    while (k % b != j) k += a;
    return k;
  }
};

// a * b points: transforms of a points, rotations, transforms of the b results of each kind.
template <int a, int b, class T>
KALLIMA_INLINE void two_rounds(Pack<T> (&x)[a * b]) {
  using Order = TwoRounds<a, b>;
  Pack<T> y[a * b];
  unrolled<b>([&](auto j) KALLIMA_INLINED {
    Pack<T> t[a];
    unrolled<a>([&](auto i) KALLIMA_INLINED { t[i] = x[Order::point(i, j)]; });
    butterfly(t);
    unrolled<a>([&](auto i) KALLIMA_INLINED { y[i * b + j] = rotated < Order::coprime ? 0 : i * j, a * b > (t[i]); });
  });
  unrolled<a>([&](auto i) KALLIMA_INLINED {
    Pack<T> t[b];
    unrolled<b>([&](auto j) KALLIMA_INLINED { t[j] = y[i * b + j]; });
    butterfly(t);
    unrolled<b>([&](auto j) KALLIMA_INLINED { x[Order::result(i, j)] = t[j]; });
  });
}

#define KALLIMA_TWO_ROUNDS(a, b)                          \
  template <class T>                                      \
  KALLIMA_INLINE void butterfly(Pack<T>(&x)[(a) * (b)]) { \
    two_rounds<a, b>(x);                                  \
  }
KALLIMA_TWO_ROUNDS(3, 2)
KALLIMA_TWO_ROUNDS(5, 2)
KALLIMA_TWO_ROUNDS(3, 4)
KALLIMA_TWO_ROUNDS(7, 2)
KALLIMA_TWO_ROUNDS(5, 3)
KALLIMA_TWO_ROUNDS(4, 4)
KALLIMA_TWO_ROUNDS(5, 4)
KALLIMA_TWO_ROUNDS(5, 5)
KALLIMA_TWO_ROUNDS(4, 8)
#undef KALLIMA_TWO_ROUNDS

}  // namespace
}  // namespace kallima::kernel
