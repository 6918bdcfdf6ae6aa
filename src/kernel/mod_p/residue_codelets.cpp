// The codelets of one instruction set. See residue_codelets.hpp for why all of it is exact.

#include "kernel/mod_p/residue_codelets.hpp"

#include <cmath>
#include <cstring>

#if defined(__ARM_NEON)
#include <arm_neon.h>
#elif defined(__AVX2__)
#include <immintrin.h>
#endif

#define KALLIMA_INLINE [[gnu::always_inline]] inline

namespace kallima::kernel {
namespace KALLIMA_ISA {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t bytes = 64;
#elif defined(__AVX2__)
constexpr std::size_t bytes = 32;
#else
constexpr std::size_t bytes = 16;
#endif
constexpr Index width = bytes / sizeof(double);
constexpr int at_once = bytes == 16 ? 2 : 1;  // registers: where there are many small ones
typedef double Vector __attribute__((vector_size(bytes)));

// c - a b, rounded once; and the nearest whole number.
#if defined(__ARM_NEON)
KALLIMA_INLINE Vector fused_from(Vector a, Vector b, Vector c) { return vfmsq_f64(c, a, b); }
KALLIMA_INLINE Vector whole(Vector a) { return vrndnq_f64(a); }
#elif defined(__AVX512F__)
KALLIMA_INLINE Vector fused_from(Vector a, Vector b, Vector c) { return _mm512_fnmadd_pd(a, b, c); }
KALLIMA_INLINE Vector whole(Vector a) { return _mm512_roundscale_pd(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
#elif defined(__AVX2__)
KALLIMA_INLINE Vector fused_from(Vector a, Vector b, Vector c) { return _mm256_fnmadd_pd(a, b, c); }
KALLIMA_INLINE Vector whole(Vector a) { return _mm256_round_pd(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
#else
KALLIMA_INLINE Vector fused_from(Vector a, Vector b, Vector c) {
  for (Index j = 0; j < width; ++j) c[j] = std::fma(-a[j], b[j], c[j]);
  return c;
}
KALLIMA_INLINE Vector whole(Vector a) {
  for (Index j = 0; j < width; ++j) a[j] = std::nearbyint(a[j]);
  return a;
}
#endif

KALLIMA_INLINE Vector all(double x) { return x - Vector{}; }
KALLIMA_INLINE Vector loaded(const double* at) {
  Vector v;
  std::memcpy(&v, at, sizeof v);
  return v;
}
KALLIMA_INLINE void store(double* at, Vector v) { std::memcpy(at, &v, sizeof v); }

// Several registers, each operation on all of them before the next: what waits for a product has others in between.
template <int count>
struct Few {
  Vector v[count];

  KALLIMA_INLINE static Few loaded_from(const double* at) {
    return each([&](int i) { return loaded(at + i * width); });
  }
  KALLIMA_INLINE void store_to(double* at) const {
    for (int i = 0; i < count; ++i) store(at + i * width, v[i]);
  }
  template <class Of>
  KALLIMA_INLINE static Few each(const Of& of) {
    Few result;
#pragma GCC unroll 4
    for (int i = 0; i < count; ++i) result.v[i] = of(i);
    return result;
  }
  KALLIMA_INLINE friend Few operator+(const Few& a, const Few& b) {
    return each([&](int i) { return a.v[i] + b.v[i]; });
  }
  KALLIMA_INLINE friend Few operator-(const Few& a, const Few& b) {
    return each([&](int i) { return a.v[i] - b.v[i]; });
  }
  KALLIMA_INLINE friend Few operator*(const Few& a, Vector b) {
    return each([&](int i) { return a.v[i] * b; });
  }
  KALLIMA_INLINE friend Few fused_from(const Few& a, Vector b, const Few& c) {
    return each([&](int i) { return fused_from(a.v[i], b, c.v[i]); });
  }
  KALLIMA_INLINE friend Few whole(const Few& a) {
    return each([&](int i) { return whole(a.v[i]); });
  }
};

struct ResidueLanes {
  explicit ResidueLanes(const Modulus& m) : p(all(m.p)), inverse(all(m.inverse)) {}

  template <class V>  // Vector or Few
  KALLIMA_INLINE V reduced(const V& a) const {
    return fused_from(whole(a * inverse), p, a);
  }
  template <class V>
  KALLIMA_INLINE V times(const V& a, Vector b) const {
    const V h = a * b, q = h * inverse, minus_l = fused_from(a, b, h);
    return fused_from(whole(q), p, h) - minus_l;
  }
  KALLIMA_INLINE Vector canonical(Vector a) const {  // 0 to p-1
    a = reduced(a);
    a = a < 0 ? a + p : a;
    return a >= p ? a - p : a;
  }

  Vector p, inverse;
};

// One butterfly's outputs, which go through multiplication or are reduced.
template <bool multiplies, class V>
KALLIMA_INLINE V finished(const ResidueLanes& m, const V& y, Vector factor) {
  if constexpr (multiplies) return m.times(y, factor);
  return m.reduced(y);
}

// Calls then(rows of the first point, factors) for each butterfly.
template <class Then>
KALLIMA_INLINE void each_butterfly(const ResidueRows& x, const ResidueStage& s, const Then& then) {
  const Index blocks = s.blocks, m = s.m, pitch = x.pitch, more = s.factors != nullptr ? s.radix - 1 : 0;
  for (Index block = 0; block < blocks; ++block) {
    double* row = x.rows + block * s.radix * m * pitch;
    for (Index j = 0; j < m; ++j, row += pitch) then(row, s.factors + more * j);
  }
}

template <bool multiplies>
void radix2(const ResidueRows& x, const ResidueStage& s, const Modulus& p) {
  const ResidueLanes m(p);
  const Index step = s.m * x.pitch, lanes = x.lanes;
  each_butterfly(
      x, s, [&](double* row, const double* factors) __attribute__((always_inline)) {
        const Vector w = all(multiplies ? factors[0] : 1);
        for (Index b = 0; b < lanes; b += width) {
          const Vector a0 = loaded(row + b), a1 = loaded(row + b + step);
          store(row + b, m.reduced(a0 + a1));
          store(row + b + step, finished<multiplies>(m, a0 - a1, w));
        }
      });
}

// omega^2 = -1 - omega, so that one multiplication is enough.
template <bool multiplies>
void radix3(const ResidueRows& x, const ResidueStage& s, const Modulus& p) {
  const ResidueLanes m(p);
  const Index step = s.m * x.pitch, lanes = x.lanes;
  const Vector omega = all(s.roots[1]);
  each_butterfly(
      x, s, [&](double* row, const double* factors) __attribute__((always_inline)) {
        const Vector w1 = all(multiplies ? factors[0] : 1), w2 = all(multiplies ? factors[1] : 1);
        for (Index b = 0; b < lanes; b += width) {
          const Vector a0 = loaded(row + b), a1 = loaded(row + b + step), a2 = loaded(row + b + 2 * step);
          const Vector turned = m.times(a1 - a2, omega);
          store(row + b, m.reduced(a0 + a1 + a2));
          store(row + b + step, finished<multiplies>(m, a0 - a2 + turned, w1));
          store(row + b + 2 * step, finished<multiplies>(m, a0 - a1 - turned, w2));
        }
      });
}

template <bool multiplies>
void radix4(const ResidueRows& x, const ResidueStage& s, const Modulus& p) {
  const ResidueLanes m(p);
  const Index step = s.m * x.pitch, lanes = x.lanes;
  const Vector omega = all(s.roots[1]);
  each_butterfly(
      x, s, [&](double* row, const double* factors) __attribute__((always_inline)) {
        const Vector w1 = all(multiplies ? factors[0] : 1), w2 = all(multiplies ? factors[1] : 1),
                     w3 = all(multiplies ? factors[2] : 1);
        const auto butterfly = [&]<class V>(double* r, V) __attribute__((always_inline)) {
          const V a0 = V::loaded_from(r), a1 = V::loaded_from(r + step), a2 = V::loaded_from(r + 2 * step),
                  a3 = V::loaded_from(r + 3 * step);
          const V s0 = a0 + a2, d0 = a0 - a2, s1 = a1 + a3, d1 = m.times(a1 - a3, omega);
          m.reduced(s0 + s1).store_to(r);
          finished<multiplies>(m, s0 - s1, w2).store_to(r + 2 * step);
          finished<multiplies>(m, d0 + d1, w1).store_to(r + step);
          finished<multiplies>(m, d0 - d1, w3).store_to(r + 3 * step);
        };
        Index b = 0;
        for (; b + at_once * width <= lanes; b += at_once * width) butterfly(row + b, Few<at_once>{});
        for (; b < lanes; b += width) butterfly(row + b, Few<1>{});
      });
}

// Sums and differences of opposite points, of which two each have the same factors: what these add up to is -1/2, so
// that sums take one product and a quarter, and differences take three products instead of four.
template <bool multiplies>
void radix5(const ResidueRows& x, const ResidueStage& s, const Modulus& p) {
  const ResidueLanes m(p);
  const Index step = s.m * x.pitch, lanes = x.lanes;
  const auto halved = [&](Vector a) { return m.times(a, all((p.p + 1) / 2)); };
  const Vector c1 = halved(all(s.roots[1] + s.roots[4])), c2 = halved(all(s.roots[2] + s.roots[3])),
               e1 = halved(all(s.roots[1] - s.roots[4])), e2 = halved(all(s.roots[2] - s.roots[3]));
  const Vector minus_quarter = m.reduced(halved(c1 + c2)), half_difference = halved(c1 - c2);
  const Vector e2_minus_e1 = m.reduced(e2 - e1), e1_plus_e2 = m.reduced(e1 + e2);
  each_butterfly(
      x, s, [&](double* row, const double* factors) __attribute__((always_inline)) {
        Vector w[4];
        for (int q = 0; q < 4; ++q) w[q] = all(multiplies ? factors[q] : 1);
        for (Index b = 0; b < lanes; b += width) {
          double* const r = row + b;
          const Vector a0 = loaded(r), a1 = loaded(r + step), a2 = loaded(r + 2 * step), a3 = loaded(r + 3 * step),
                       a4 = loaded(r + 4 * step);
          const Vector s1 = a1 + a4, s2 = a2 + a3, d1 = a1 - a4, d2 = a2 - a3;
          const Vector middle = a0 + m.times(s1 + s2, minus_quarter), apart = m.times(s1 - s2, half_difference);
          const Vector shared = m.times(d1 + d2, e2);
          const Vector odd1 = shared - m.times(d1, e2_minus_e1), odd2 = shared - m.times(d2, e1_plus_e2);
          store(r, m.reduced(a0 + s1 + s2));
          store(r + step, finished<multiplies>(m, m.reduced(middle + apart) + odd1, w[0]));
          store(r + 2 * step, finished<multiplies>(m, m.reduced(middle - apart) + odd2, w[1]));
          store(r + 3 * step, finished<multiplies>(m, m.reduced(middle - apart) - odd2, w[2]));
          store(r + 4 * step, finished<multiplies>(m, m.reduced(middle + apart) - odd1, w[3]));
        }
      });
}

// By definition: for the odd primes of a length, of which there are few.
template <bool multiplies>
void radix_any(const ResidueRows& x, const ResidueStage& s, const Modulus& p) {
  const ResidueLanes m(p);
  const Index step = s.m * x.pitch, lanes = x.lanes, r = s.radix;
  each_butterfly(
      x, s, [&](double* row, const double* factors) __attribute__((always_inline)) {
        for (Index b = 0; b < lanes; b += width) {
          Vector a[largest_residue_radix];
          for (Index j = 0; j < r; ++j) a[j] = loaded(row + b + j * step);
          for (Index q = 0; q < r; ++q) {
            Vector sum = a[0];
            for (Index j = 1; j < r; ++j) sum = m.reduced(sum + m.times(a[j], all(s.roots[j * q % r])));
            if (multiplies && q > 0) sum = m.times(sum, all(factors[q - 1]));
            store(row + b + q * step, sum);
          }
        }
      });
}

void stage(const ResidueRows& x, const ResidueStage& s, const Modulus& p) {
  const bool multiplies = s.factors != nullptr;
  if (s.radix == 4) return multiplies ? radix4<true>(x, s, p) : radix4<false>(x, s, p);
  if (s.radix == 2) return multiplies ? radix2<true>(x, s, p) : radix2<false>(x, s, p);
  if (s.radix == 3) return multiplies ? radix3<true>(x, s, p) : radix3<false>(x, s, p);
  if (s.radix == 5) return multiplies ? radix5<true>(x, s, p) : radix5<false>(x, s, p);
  return multiplies ? radix_any<true>(x, s, p) : radix_any<false>(x, s, p);
}

// Powers go up by two rows at a time, even and odd ones, so that two products are under way at once.
void rows_by_powers(const ResidueRows& x, const Index* order, Index count, const double* first, const double* base,
                    const Modulus& p) {
  const ResidueLanes m(p);
  for (Index b = 0; b < x.lanes; b += 2 * width) {
    const Index second = b + width < x.lanes ? b + width : b;
    const Vector w0 = loaded(base + b), w1 = loaded(base + second);
    const Vector square0 = m.times(w0, w0), square1 = m.times(w1, w1);
    Vector even0 = loaded(first + b), even1 = loaded(first + second);
    Vector odd0 = m.times(even0, w0), odd1 = m.times(even1, w1);
    for (Index k = 0; k < count; k += 2) {
      const auto multiply = [&](Index row, Vector f0, Vector f1) {
        double* const at = x.rows + order[row] * x.pitch;
        const Vector y0 = m.times(loaded(at + b), f0), y1 = m.times(loaded(at + second), f1);
        store(at + b, y0);
        if (second != b) store(at + second, y1);
      };
      multiply(k, even0, even1);
      if (k + 1 < count) multiply(k + 1, odd0, odd1);
      even0 = m.times(even0, square0);
      even1 = m.times(even1, square1);
      odd0 = m.times(odd0, square0);
      odd1 = m.times(odd1, square1);
    }
  }
}

double scalar_product(double a, double b, const Modulus& p) {
  const double h = a * b, l = std::fma(a, b, -h), q = std::nearbyint(h * p.inverse);
  return std::fma(-q, p.p, h) + l;
}

void line_by_powers(double* x, Index count, double first, double base, const Modulus& p) {
  constexpr Index streams = 4;
  const ResidueLanes m(p);
  double starts[streams * width];
  double power = first;
  for (double& start : starts) {
    start = power;
    power = scalar_product(power, base, p);
  }
  double far = 1;
  for (Index k = 0; k < streams * width; ++k) far = scalar_product(far, base, p);
  const Vector step = all(far);
  Vector now[streams];
  for (Index s = 0; s < streams; ++s) now[s] = loaded(starts + s * width);
  Index k = 0;
  for (; k + streams * width <= count; k += streams * width)
    for (Index s = 0; s < streams; ++s) {
      store(x + k + s * width, m.times(loaded(x + k + s * width), now[s]));
      now[s] = m.times(now[s], step);
    }
  for (Index s = 0; s < streams; ++s) store(starts + s * width, now[s]);
  for (Index j = 0; k < count; ++k, ++j) x[k] = scalar_product(x[k], starts[j], p);
}

// Two by two, in whole registers of any instruction set: element e of line b is element b of row e.
typedef double Two __attribute__((vector_size(16)));
template <class From, class To>
KALLIMA_INLINE void transpose(const From& from, const To& to, Index height, Index length) {
  for (Index b = 0; b + 1 < height; b += 2) {
    const double *const x = from[b], *const y = from[b + 1];
    Index e = 0;
    for (; e + 1 < length; e += 2) {
      Two first, second;
      std::memcpy(&first, x + e, sizeof first);
      std::memcpy(&second, y + e, sizeof second);
      const Two even{first[0], second[0]}, odd{first[1], second[1]};
      std::memcpy(to[e] + b, &even, sizeof even);
      std::memcpy(to[e + 1] + b, &odd, sizeof odd);
    }
    if (e < length) to[e][b] = x[e], to[e][b + 1] = y[e];
  }
  if (height % 2 == 1)
    for (Index e = 0; e < length; ++e) to[e][height - 1] = from[height - 1][e];
}

void rows_of_lines(const double* const* lines, double* const* rows, Index lanes, Index count) {
  transpose(lines, rows, lanes, count);
}
void lines_of_rows(double* const* lines, const double* const* rows, Index lanes, Index count) {
  transpose(rows, lines, count, lanes);
}

// Whole vectors, and what is left in one that is not full.
template <class Each>
KALLIMA_INLINE void in_vectors(Index count, const Each& each) {
  Index k = 0;
  for (; k + width <= count; k += width) each(k, width);
  if (k < count) each(k, count - k);
}
KALLIMA_INLINE Vector some(const double* at, Index count) {
  if (count == width) return loaded(at);
  double full[width] = {};
  for (Index j = 0; j < count; ++j) full[j] = at[j];
  return loaded(full);
}
KALLIMA_INLINE void store_some(double* at, Vector v, Index count) {
  if (count == width) return store(at, v);
  for (Index j = 0; j < count; ++j) at[j] = v[j];
}

void multiply(const double* x, const double* y, double* z, Index count, const Modulus& p) {
  const ResidueLanes m(p);
  in_vectors(count, [&](Index k, Index n) { store_some(z + k, m.times(some(x + k, n), some(y + k, n)), n); });
}

void scale(double* x, Index count, double factor, const Modulus& p) {
  const ResidueLanes m(p);
  in_vectors(count, [&](Index k, Index n) { store_some(x + k, m.times(some(x + k, n), all(factor)), n); });
}

void join(const double* high, const double* low, double shift, double* x, Index count, const Modulus& p) {
  const ResidueLanes m(p);
  in_vectors(count, [&](Index k, Index n) {
    store_some(x + k, m.reduced(m.times(some(high + k, n), all(shift)) + some(low + k, n)), n);
  });
}

void difference(const double* a, const double* b, double shift, double factor, double* x, Index count,
                const Modulus& p) {
  const ResidueLanes m(p);
  in_vectors(count, [&](Index k, Index n) {
    store_some(x + k, m.canonical(m.times(some(a + k, n) - some(b + k, n) + all(shift), all(factor))), n);
  });
}

}  // namespace

ResidueCodelets residues();
ResidueCodelets residues() {
  return {width,         stage,    rows_by_powers, line_by_powers, rows_of_lines,
          lines_of_rows, multiply, scale,          join,           difference};
}

}  // namespace KALLIMA_ISA
}  // namespace kallima::kernel
