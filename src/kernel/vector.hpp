#pragma once
// A few complex numbers in vector registers, real parts in one and imaginary parts in another, so that no arithmetic
// needs a shuffle. Written with the compiler's vector extensions: the same source becomes NEON, AVX or AVX-512.

#include <cstring>
#include <type_traits>

#include "kallima/types.hpp"

namespace kallima::kernel {

#if defined(__AVX512F__)
inline constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr std::size_t vector_bytes = 32;
#else
inline constexpr std::size_t vector_bytes = 16;
#endif

// There are no vectors of long doubles.
template <class T>
inline constexpr bool has_vectors = std::is_same_v<T, float> || std::is_same_v<T, double>;

template <class T>
struct Pack {
  typedef T Vector __attribute__((vector_size(vector_bytes)));
  static constexpr Index lanes = static_cast<Index>(vector_bytes / sizeof(T));
  Vector re, im;

  // From and to a row of complex numbers as everybody has them.
  static Pack load(const std::complex<T>* p) { return load_halves(p, p + lanes / 2); }
  void store(std::complex<T>* p) const { store_halves(p, p + lanes / 2); }

  // The same for numbers that are `stride` apart.
  static Pack load(const std::complex<T>* p, Index stride) {
    if constexpr (lanes == 2) return load_halves(p, p + stride);
    Pack x{};
    for (Index i = 0; i < lanes; ++i) {
      x.re[i] = p[i * stride].real();
      x.im[i] = p[i * stride].imag();
    }
    return x;
  }
  void store(std::complex<T>* p, Index stride) const {
    if constexpr (lanes == 2) return store_halves(p, p + stride);
    for (Index i = 0; i < lanes; ++i) p[i * stride] = {re[i], im[i]};
  }

  // From and to a tile: the real parts of a pack, then its imaginary parts.
  static Pack load_pack(const T* p) {
    Pack x;
    std::memcpy(&x.re, p, sizeof x.re);
    std::memcpy(&x.im, p + lanes, sizeof x.im);
    return x;
  }
  void store_pack(T* p) const {
    std::memcpy(p, &re, sizeof re);
    std::memcpy(p + lanes, &im, sizeof im);
  }

  friend Pack operator+(Pack a, Pack b) { return {a.re + b.re, a.im + b.im}; }
  friend Pack operator-(Pack a, Pack b) { return {a.re - b.re, a.im - b.im}; }
  friend Pack operator*(T s, Pack a) { return {s * a.re, s * a.im}; }
  Pack turned() const { return {im, -re}; }  // times -i
  Pack swapped() const { return {im, re}; }
  Pack times(T c, T s) const { return {re * c - im * s, im * c + re * s}; }
  Pack times(Pack w) const { return {re * w.re - im * w.im, im * w.re + re * w.im}; }

 private:
  static Pack load_halves(const std::complex<T>* p, const std::complex<T>* q) {
    Vector a, b;  // two variables, not an array, which would go through memory
    std::memcpy(&a, static_cast<const void*>(p), sizeof a);
    std::memcpy(&b, static_cast<const void*>(q), sizeof b);
    return {__builtin_shuffle(a, b, every_other(0)), __builtin_shuffle(a, b, every_other(1))};
  }
  void store_halves(std::complex<T>* p, std::complex<T>* q) const {
    const Vector a = __builtin_shuffle(re, im, interleaved(0));
    const Vector b = __builtin_shuffle(re, im, interleaved(lanes / 2));
    std::memcpy(static_cast<void*>(p), &a, sizeof a);
    std::memcpy(static_cast<void*>(q), &b, sizeof b);
  }

  typedef std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t> Integer;
  typedef Integer Mask __attribute__((vector_size(vector_bytes)));

  static constexpr Mask every_other(Integer first) {
    Mask m{};
    for (Index i = 0; i < lanes; ++i) m[i] = first + static_cast<Integer>(2 * i);
    return m;
  }
  static constexpr Mask interleaved(Index first) {
    Mask m{};
    for (Index i = 0; i < lanes; ++i) m[i] = static_cast<Integer>(first + i / 2 + (i % 2) * lanes);
    return m;
  }
};

// Forward transforms of 2, 3, 4, 5 and 8 points, each point a Pack.
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
