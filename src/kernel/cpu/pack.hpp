#pragma once
// A few complex numbers in one vector register, as they stand in memory: nothing is shuffled on the way in or out, and
// a butterfly of n points takes n registers. Written with the compiler's vector extensions; what an instruction set
// does better (turning by a quarter while adding, multiplying by a complex number) is said here and nowhere else. All
// of it has internal linkage: code for one instruction set must never be taken for another's of the same name.

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__ARM_NEON)
#include <arm_neon.h>
#elif defined(__AVX__)
#include <immintrin.h>
#endif

#define KALLIMA_INLINE [[gnu::always_inline]] inline
#define KALLIMA_INLINED __attribute__((always_inline))  // a lambda

namespace kallima::kernel {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX__)
constexpr std::size_t vector_bytes = 32;
#else
constexpr std::size_t vector_bytes = 16;
#endif

// Calls then(0), then(1), ... with constants: an array of packs that is indexed in a real loop lives in memory.
template <int count, int first = 0, class Then>
KALLIMA_INLINE void unrolled(const Then& then) {
  if constexpr (first < count) {
    then(std::integral_constant<int, first>{});
    unrolled<count, first + 1>(then);
  }
}

// Reals in a register, real and imaginary parts in turns.
template <class T>
struct Register {
  typedef T Vector __attribute__((vector_size(vector_bytes)));
  static constexpr int reals = vector_bytes / sizeof(T);

  KALLIMA_INLINE static Vector alternate(T even, T odd) {
    Vector v{};
    for (int j = 0; j < reals; ++j) v[j] = j % 2 == 0 ? even : odd;
    return v;
  }
  template <int... j>
  KALLIMA_INLINE static Vector swap(Vector v, std::integer_sequence<int, j...>) {
    return __builtin_shufflevector(v, v, (j ^ 1)...);
  }
  KALLIMA_INLINE static Vector swap(Vector v) { return swap(v, std::make_integer_sequence<int, reals>{}); }
  template <int... j>
  KALLIMA_INLINE static Vector evens(Vector v, std::integer_sequence<int, j...>) {  // the others are zeros
    return __builtin_shufflevector(v, Vector{}, (j % 2 == 0 ? j : j + reals)...);
  }

  typedef T Half __attribute__((vector_size(vector_bytes / 2)));
  template <int... j>
  KALLIMA_INLINE static Vector doubled(Half h, std::integer_sequence<int, j...>) {
    return __builtin_shufflevector(h, h, (j / 2)...);
  }
  template <int which, int... j>
  KALLIMA_INLINE static Vector twice(Vector v, std::integer_sequence<int, j...>) {  // real or imaginary parts
    return __builtin_shufflevector(v, v, (j - j % 2 + which)...);
  }
  template <int... j>
  KALLIMA_INLINE static Vector alternating(Vector even, Vector odd, std::integer_sequence<int, j...>) {
    return __builtin_shufflevector(even, odd, (j % 2 == 0 ? j : j + reals)...);
  }
  template <int... j>
  KALLIMA_INLINE static Half halved(Vector v, std::integer_sequence<int, j...>) {
    return __builtin_shufflevector(v, v, (2 * j)...);
  }
};

// a + i b
template <class T>
KALLIMA_INLINE typename Register<T>::Vector plus_i(typename Register<T>::Vector a, typename Register<T>::Vector b) {
#if defined(__ARM_FEATURE_COMPLEX)
  if constexpr (sizeof(T) == 8) return vcaddq_rot90_f64(a, b);
  if constexpr (sizeof(T) == 4) return vcaddq_rot90_f32(a, b);
#elif defined(__AVX512F__)
  if constexpr (sizeof(T) == 8) return _mm512_fmaddsub_pd(a, _mm512_set1_pd(1), Register<T>::swap(b));
  if constexpr (sizeof(T) == 4) return _mm512_fmaddsub_ps(a, _mm512_set1_ps(1), Register<T>::swap(b));
#elif defined(__AVX__)
  if constexpr (sizeof(T) == 8) return _mm256_addsub_pd(a, Register<T>::swap(b));
  if constexpr (sizeof(T) == 4) return _mm256_addsub_ps(a, Register<T>::swap(b));
#else
  return a + Register<T>::swap(b) * Register<T>::alternate(-1, 1);
#endif
}

// a - i b
template <class T>
KALLIMA_INLINE typename Register<T>::Vector minus_i(typename Register<T>::Vector a, typename Register<T>::Vector b) {
#if defined(__ARM_FEATURE_COMPLEX)
  if constexpr (sizeof(T) == 8) return vcaddq_rot270_f64(a, b);
  if constexpr (sizeof(T) == 4) return vcaddq_rot270_f32(a, b);
#elif defined(__AVX512F__)
  if constexpr (sizeof(T) == 8) return _mm512_fmsubadd_pd(a, _mm512_set1_pd(1), Register<T>::swap(b));
  if constexpr (sizeof(T) == 4) return _mm512_fmsubadd_ps(a, _mm512_set1_ps(1), Register<T>::swap(b));
#elif defined(__FMA__)
  if constexpr (sizeof(T) == 8) return _mm256_fmsubadd_pd(a, _mm256_set1_pd(1), Register<T>::swap(b));
  if constexpr (sizeof(T) == 4) return _mm256_fmsubadd_ps(a, _mm256_set1_ps(1), Register<T>::swap(b));
#else
  return a + Register<T>::swap(b) * Register<T>::alternate(1, -1);
#endif
}

// (c + i s) x, w being c and s in turns.
template <class T>
KALLIMA_INLINE typename Register<T>::Vector times(typename Register<T>::Vector x, typename Register<T>::Vector w) {
#if defined(__ARM_FEATURE_COMPLEX)
  if constexpr (sizeof(T) == 8) return vcmlaq_rot90_f64(vmulq_laneq_f64(x, w, 0), w, x);
  if constexpr (sizeof(T) == 4) return vcmlaq_rot90_f32(vmulq_f32(x, vtrn1q_f32(w, w)), w, x);
#elif defined(__AVX512F__)
  if constexpr (sizeof(T) == 8)
    return _mm512_fmaddsub_pd(x, _mm512_movedup_pd(w), Register<T>::swap(x) * _mm512_permute_pd(w, 0xff));
  if constexpr (sizeof(T) == 4)
    return _mm512_fmaddsub_ps(x, _mm512_moveldup_ps(w), Register<T>::swap(x) * _mm512_movehdup_ps(w));
#elif defined(__FMA__)
  if constexpr (sizeof(T) == 8)
    return _mm256_fmaddsub_pd(x, _mm256_movedup_pd(w), Register<T>::swap(x) * _mm256_permute_pd(w, 0xf));
  if constexpr (sizeof(T) == 4)
    return _mm256_fmaddsub_ps(x, _mm256_moveldup_ps(w), Register<T>::swap(x) * _mm256_movehdup_ps(w));
#else
  typename Register<T>::Vector c, s;
  for (int j = 0; j < Register<T>::reals; ++j) {
    c[j] = w[j & ~1];
    s[j] = j % 2 == 0 ? -w[j | 1] : w[j];
  }
  return x * c + Register<T>::swap(x) * s;
#endif
}

// So many complex numbers in a register, or in a part of one.
template <class T, int count>
struct Some {
  typedef T Vector __attribute__((vector_size(2 * count * sizeof(T))));
};

template <int... j>
KALLIMA_INLINE auto both(auto low, auto high, std::integer_sequence<int, j...>) {
  return __builtin_shufflevector(low, high, j...);
}
template <int first, int... j>
KALLIMA_INLINE auto half(auto v, std::integer_sequence<int, j...>) {
  return __builtin_shufflevector(v, v, (first + j)...);
}

template <int... j>
KALLIMA_INLINE auto repeated(auto one, std::integer_sequence<int, j...>) {  // a complex number
  return __builtin_shufflevector(one, one, (j % 2)...);
}

// Complex numbers that are `stride` reals apart, put together in registers.
template <int count, class T>
KALLIMA_INLINE typename Some<T, count>::Vector joined(const T* p, std::ptrdiff_t stride) {
  if constexpr (count == 1) {
    typename Some<T, 1>::Vector v;
    std::memcpy(&v, p, sizeof v);
    return v;
  } else {
    return both(joined<count / 2>(p, stride), joined<count / 2>(p + count / 2 * stride, stride),
                std::make_integer_sequence<int, 2 * count>{});
  }
}
template <int count, class T>
KALLIMA_INLINE void part(typename Some<T, count>::Vector v, T* p, std::ptrdiff_t stride) {
  if constexpr (count == 1) {
    std::memcpy(p, &v, sizeof v);
  } else {
    part<count / 2>(half<0>(v, std::make_integer_sequence<int, count>{}), p, stride);
    part<count / 2>(half<count>(v, std::make_integer_sequence<int, count>{}), p + count / 2 * stride, stride);
  }
}

template <class T>
struct Pack {
  using Vector = typename Register<T>::Vector;
  static constexpr int reals = Register<T>::reals;
  static constexpr int lanes = reals / 2;
  Vector v;

  KALLIMA_INLINE static Pack load(const T* p) {
    Pack x;
    std::memcpy(&x.v, p, sizeof x.v);
    return x;
  }
  KALLIMA_INLINE void store(T* p) const { std::memcpy(p, &v, sizeof v); }

  // Of complex numbers that are `stride` reals apart.
  KALLIMA_INLINE static Pack load(const T* p, std::ptrdiff_t stride) { return {joined<lanes>(p, stride)}; }
  KALLIMA_INLINE void store(T* p, std::ptrdiff_t stride) const { part<lanes>(v, p, stride); }

  KALLIMA_INLINE static Pack all(T c, T s) { return {Register<T>::alternate(c, s)}; }
  KALLIMA_INLINE static Pack all(const T* w) {
    return {repeated(joined<1>(w, 0), std::make_integer_sequence<int, reals>{})};
  }

  KALLIMA_INLINE friend Pack operator+(Pack a, Pack b) { return {a.v + b.v}; }
  KALLIMA_INLINE friend Pack operator-(Pack a, Pack b) { return {a.v - b.v}; }
  KALLIMA_INLINE friend Pack operator*(T s, Pack a) { return {s * a.v}; }
  KALLIMA_INLINE Pack negated() const { return {-v}; }
  KALLIMA_INLINE Pack plus_i(Pack b) const { return {kernel::plus_i<T>(v, b.v)}; }
  KALLIMA_INLINE Pack minus_i(Pack b) const { return {kernel::minus_i<T>(v, b.v)}; }
  KALLIMA_INLINE Pack times(Pack w) const { return {kernel::times<T>(v, w.v)}; }
  KALLIMA_INLINE Pack conjugate() const { return {v * Register<T>::alternate(1, -1)}; }
  KALLIMA_INLINE Pack swapped() const { return {Register<T>::swap(v)}; }  // real and imaginary parts
  KALLIMA_INLINE Pack real() const { return {Register<T>::evens(v, std::make_integer_sequence<int, reals>{})}; }

  // As many reals as there are lanes, each of them as both parts of its lane; and real parts alone.
  KALLIMA_INLINE static Pack load_doubled(const T* p) {
    typename Register<T>::Half h;
    std::memcpy(&h, p, sizeof h);
    return {Register<T>::doubled(h, std::make_integer_sequence<int, reals>{})};
  }
  KALLIMA_INLINE void store_reals(T* p) const {
    const typename Register<T>::Half h = Register<T>::halved(v, std::make_integer_sequence<int, lanes>{});
    std::memcpy(p, &h, sizeof h);
  }
  // Of every lane, one of its parts as both; parts times a and b; the real parts of x and the imaginary ones of y.
  template <int which>
  KALLIMA_INLINE Pack twice() const {
    return {Register<T>::template twice<which>(v, std::make_integer_sequence<int, reals>{})};
  }
  KALLIMA_INLINE Pack by_parts(T a, T b) const { return {v * Register<T>::alternate(a, b)}; }
  KALLIMA_INLINE static Pack of_parts(Pack x, Pack y) {
    return {Register<T>::alternating(x.v, y.v, std::make_integer_sequence<int, reals>{})};
  }

  // By one complex number in memory.
  KALLIMA_INLINE Pack times(const T* w) const {
#if defined(__ARM_FEATURE_COMPLEX)
    const Vector u = all(w).v;
    if constexpr (sizeof(T) == 8) return {vcmlaq_rot90_f64(vmulq_laneq_f64(v, u, 0), u, v)};
    if constexpr (sizeof(T) == 4) return {vcmlaq_rot90_f32(vmulq_laneq_f32(v, u, 0), u, v)};
#elif defined(__AVX512F__)
    if constexpr (sizeof(T) == 8)
      return {_mm512_fmaddsub_pd(v, _mm512_set1_pd(w[0]), Register<T>::swap(v) * _mm512_set1_pd(w[1]))};
    if constexpr (sizeof(T) == 4)
      return {_mm512_fmaddsub_ps(v, _mm512_set1_ps(w[0]), Register<T>::swap(v) * _mm512_set1_ps(w[1]))};
#elif defined(__FMA__)
    if constexpr (sizeof(T) == 8)
      return {_mm256_fmaddsub_pd(v, _mm256_set1_pd(w[0]), Register<T>::swap(v) * _mm256_set1_pd(w[1]))};
    if constexpr (sizeof(T) == 4)
      return {_mm256_fmaddsub_ps(v, _mm256_set1_ps(w[0]), Register<T>::swap(v) * _mm256_set1_ps(w[1]))};
#else
    return times(all(w));
#endif
  }

  // By a constant, for which the compiler prepares what it needs.
  KALLIMA_INLINE Pack times(T c, T s) const {
#if defined(__ARM_FEATURE_COMPLEX)
    return times(all(c, s));
#else
    return {c * v + Register<T>::swap(v) * Register<T>::alternate(-s, s)};
#endif
  }
};

// A long double is no vector's.
template <>
struct Pack<long double> {
  using T = long double;
  static constexpr int reals = 2;
  static constexpr int lanes = 1;
  T re, im;

  KALLIMA_INLINE static Pack load(const T* p, std::ptrdiff_t = 0) { return {p[0], p[1]}; }
  KALLIMA_INLINE void store(T* p, std::ptrdiff_t = 0) const {
    p[0] = re;
    p[1] = im;
  }
  KALLIMA_INLINE static Pack all(const T* w) { return load(w); }
  KALLIMA_INLINE static Pack all(T c, T s) { return {c, s}; }
  KALLIMA_INLINE friend Pack operator+(Pack a, Pack b) { return {a.re + b.re, a.im + b.im}; }
  KALLIMA_INLINE friend Pack operator-(Pack a, Pack b) { return {a.re - b.re, a.im - b.im}; }
  KALLIMA_INLINE friend Pack operator*(T s, Pack a) { return {s * a.re, s * a.im}; }
  KALLIMA_INLINE Pack negated() const { return {-re, -im}; }
  KALLIMA_INLINE Pack plus_i(Pack b) const { return {re - b.im, im + b.re}; }
  KALLIMA_INLINE Pack minus_i(Pack b) const { return {re + b.im, im - b.re}; }
  KALLIMA_INLINE Pack times(Pack w) const { return times(w.re, w.im); }
  KALLIMA_INLINE Pack times(const T* w) const { return times(w[0], w[1]); }
  KALLIMA_INLINE Pack times(T c, T s) const { return {re * c - im * s, im * c + re * s}; }
  KALLIMA_INLINE Pack conjugate() const { return {re, -im}; }
  KALLIMA_INLINE Pack swapped() const { return {im, re}; }
  KALLIMA_INLINE Pack real() const { return {re, 0}; }
  KALLIMA_INLINE static Pack load_doubled(const T* p) { return {*p, *p}; }
  KALLIMA_INLINE void store_reals(T* p) const { *p = re; }
  template <int which>
  KALLIMA_INLINE Pack twice() const {
    return which == 0 ? Pack{re, re} : Pack{im, im};
  }
  KALLIMA_INLINE Pack by_parts(T a, T b) const { return {a * re, b * im}; }
  KALLIMA_INLINE static Pack of_parts(Pack x, Pack y) { return {x.re, y.im}; }
};

template <class T>
KALLIMA_INLINE const T* reals(const std::complex<T>* p) {
  return reinterpret_cast<const T*>(p);
}

}  // namespace
}  // namespace kallima::kernel
