#pragma once
// Forward transforms of 2, 3, 4, 5 and 8 points, each point a Pack.

#include "kernel/vector.hpp"

namespace kallima::kernel {

template <class T>
[[gnu::always_inline]] inline void butterfly(Pack<T> (&x)[2]) {
  const Pack<T> a = x[0];
  x[0] = a + x[1];
  x[1] = a - x[1];
}

template <class T>
[[gnu::always_inline]] inline void butterfly(Pack<T> (&x)[3]) {
  constexpr T s = static_cast<T>(0.866025403784438646763723170752936183L);
  const Pack<T> sum = x[1] + x[2];
  const Pack<T> turn = (s * (x[1] - x[2])).turned();
  const Pack<T> mid = x[0] - T(0.5) * sum;
  x[0] = x[0] + sum;
  x[1] = mid + turn;
  x[2] = mid - turn;
}

template <class T>
[[gnu::always_inline]] inline void butterfly(Pack<T> (&x)[4]) {
  const Pack<T> a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = (x[1] - x[3]).turned();
  x[0] = a + c;
  x[1] = b + d;
  x[2] = a - c;
  x[3] = b - d;
}

template <class T>
[[gnu::always_inline]] inline void butterfly(Pack<T> (&x)[5]) {
  constexpr T c1 = static_cast<T>(0.309016994374947424102293417182819059L);
  constexpr T c2 = static_cast<T>(-0.809016994374947424102293417182819059L);
  constexpr T s1 = static_cast<T>(0.951056516295153572116439333379382143L);
  constexpr T s2 = static_cast<T>(0.587785252292473129168705954639072769L);
  const Pack<T> p1 = x[1] + x[4], m1 = x[1] - x[4], p2 = x[2] + x[3], m2 = x[2] - x[3];
  const Pack<T> e1 = x[0] + c1 * p1 + c2 * p2, e2 = x[0] + c2 * p1 + c1 * p2;
  const Pack<T> o1 = (s1 * m1 + s2 * m2).turned(), o2 = (s2 * m1 - s1 * m2).turned();
  x[0] = x[0] + p1 + p2;
  x[1] = e1 + o1;
  x[4] = e1 - o1;
  x[2] = e2 + o2;
  x[3] = e2 - o2;
}

template <class T>
[[gnu::always_inline]] inline void butterfly(Pack<T> (&x)[8]) {
  constexpr T r = static_cast<T>(0.707106781186547524400844362104849039L);
  Pack<T> even[4] = {x[0], x[2], x[4], x[6]};
  Pack<T> odd[4] = {x[1], x[3], x[5], x[7]};
  butterfly(even);
  butterfly(odd);
  odd[1] = r * (odd[1] + odd[1].turned());
  odd[2] = odd[2].turned();
  odd[3] = r * (odd[3].turned() - odd[3]);
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    x[k] = even[k] + odd[k];
    x[k + 4] = even[k] - odd[k];
  }
}

}  // namespace kallima::kernel
