#pragma once
// Transforms of 2 to 32 points in registers, forward, in natural order on both sides: arrays are indexed by constants
// only, so that reordering costs nothing. Longer ones are made of shorter ones by Cooley and Tukey's rule.

#include <type_traits>
#include <utility>

#include "cuda/whole/lanes.cuh"

namespace kallima::cuda {

template <int from, int... k, class Body>
__device__ __forceinline__ void call_with_each(std::integer_sequence<int, k...>, Body& body) {
  (body(std::integral_constant<int, from + k>()), ...);
}

// Calls body with each number as a type. Not one call within the other: compiling these takes time.
template <int from, int to, class Body>
__device__ __forceinline__ void static_for(Body&& body) {
  call_with_each<from>(std::make_integer_sequence<int, (to > from ? to - from : 0)>(), body);
}

constexpr double cosine_of_32nds(int j) {  // cos(2 pi j / 32)
  constexpr double quarter[9] = {1.0,
                                 0.98078528040323044912618223613424,
                                 0.92387953251128675612818318939679,
                                 0.83146961230254523707878837761791,
                                 0.70710678118654752440084436210485,
                                 0.55557023301960222474283081394853,
                                 0.38268343236508977172845998403040,
                                 0.19509032201612826784828486847702,
                                 0.0};
  j &= 31;
  if (j > 16) j = 32 - j;
  return j <= 8 ? quarter[j] : -quarter[16 - j];
}

// (r, i) *= exp(-2 pi i e / 32)
template <int e, class V>
__device__ __forceinline__ void rotate_32nds(V& r, V& i) {
  using Real = RealOf<V>;
  constexpr Real h = static_cast<Real>(cosine_of_32nds(4));
  const V t = r;
  if constexpr (e % 32 == 0) {
  } else if constexpr (e % 32 == 8) {
    r = i, i = -t;
  } else if constexpr (e % 32 == 16) {
    r = -r, i = -i;
  } else if constexpr (e % 32 == 24) {
    r = -i, i = t;
  } else if constexpr (e % 32 == 4) {
    r = h * (r + i), i = h * (i - t);
  } else if constexpr (e % 32 == 12) {
    r = h * (i - r), i = -(h * (t + i));
  } else {
    constexpr Real c = static_cast<Real>(cosine_of_32nds(e)), s = static_cast<Real>(-cosine_of_32nds(e - 8));
    rotate(r, i, {c, s});
  }
}

template <int n, class V>
__device__ __forceinline__ void dft(V (&r)[n], V (&i)[n]) {
  if constexpr (n == 2) {
    const V a = r[0], b = i[0];
    r[0] = a + r[1], i[0] = b + i[1];
    r[1] = a - r[1], i[1] = b - i[1];
  } else if constexpr (n == 4) {
    const V ar = r[0] + r[2], ai = i[0] + i[2], br = r[0] - r[2], bi = i[0] - i[2];
    const V cr = r[1] + r[3], ci = i[1] + i[3], dr = r[1] - r[3], di = i[1] - i[3];
    r[0] = ar + cr, i[0] = ai + ci;
    r[1] = br + di, i[1] = bi - dr;
    r[2] = ar - cr, i[2] = ai - ci;
    r[3] = br - di, i[3] = bi + dr;
  } else {
    constexpr int inner = n == 8 ? 2 : 4, outer = n / inner;  // outer first
    static_for<0, inner>([&](auto low) {
      V a[outer], b[outer];
      static_for<0, outer>([&](auto high) { a[high] = r[high * inner + low], b[high] = i[high * inner + low]; });
      dft(a, b);
      static_for<0, outer>([&](auto k) {
        rotate_32nds<low * k*(32 / n)>(a[k], b[k]);
        r[k * inner + low] = a[k], i[k * inner + low] = b[k];
      });
    });
    V x[n], y[n];
    static_for<0, outer>([&](auto k) {
      V a[inner], b[inner];
      static_for<0, inner>([&](auto low) { a[low] = r[k * inner + low], b[low] = i[k * inner + low]; });
      dft(a, b);
      static_for<0, inner>([&](auto j) { x[k + outer * j] = a[j], y[k + outer * j] = b[j]; });
    });
    static_for<0, n>([&](auto j) { r[j] = x[j], i[j] = y[j]; });
  }
}

}  // namespace kallima::cuda
