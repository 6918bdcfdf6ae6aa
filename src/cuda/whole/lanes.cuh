#pragma once
// What a register of the kernels holds: a double, or two floats of two independent transforms. Either way a complex
// number of them takes 16 bytes, the widest load there is, so that both precisions share every kernel.

#include <cuda_runtime.h>

#include <cstdint>

namespace kallima::cuda {

struct FloatPair {
  float a, b;
};

__device__ __forceinline__ FloatPair operator+(FloatPair x, FloatPair y) { return {x.a + y.a, x.b + y.b}; }
__device__ __forceinline__ FloatPair operator-(FloatPair x, FloatPair y) { return {x.a - y.a, x.b - y.b}; }
__device__ __forceinline__ FloatPair operator-(FloatPair x) { return {-x.a, -x.b}; }
__device__ __forceinline__ FloatPair operator*(float s, FloatPair x) { return {s * x.a, s * x.b}; }
__device__ __forceinline__ double multiply_add(double s, double x, double y) { return fma(s, x, y); }
__device__ __forceinline__ FloatPair multiply_add(float s, FloatPair x, FloatPair y) {
  return {fmaf(s, x.a, y.a), fmaf(s, x.b, y.b)};
}

template <class V>
struct LaneTraits;

template <>
struct LaneTraits<double> {
  using Real = double;
  using Complex = double2;
  static constexpr int count = 1;
};

template <>
struct LaneTraits<FloatPair> {
  using Real = float;
  using Complex = float2;
  static constexpr int count = 2;
};

template <class V>
using RealOf = typename LaneTraits<V>::Real;
template <class V>
using ComplexOf = typename LaneTraits<V>::Complex;

// (r, i) *= w
template <class V>
__device__ __forceinline__ void rotate(V& r, V& i, ComplexOf<V> w) {
  const V real = multiply_add(-w.y, i, w.x * r);
  i = multiply_add(w.y, r, w.x * i);
  r = real;
}

template <class Complex>
__device__ __forceinline__ Complex product(Complex a, Complex b) {
  return {fma(-a.y, b.y, a.x * b.x), fma(a.y, b.x, a.x * b.y)};
}

// With `sign` the number's sign bit: its conjugate; with 0: itself.
__device__ __forceinline__ void conjugate_if(double& i, uint32_t sign) {
  i = __hiloint2double(__double2hiint(i) ^ static_cast<int>(sign), __double2loint(i));
}
__device__ __forceinline__ void conjugate_if(FloatPair& i, uint32_t sign) {
  i.a = __uint_as_float(__float_as_uint(i.a) ^ sign);
  i.b = __uint_as_float(__float_as_uint(i.b) ^ sign);
}

// Elements in global memory, which nobody reads again before the cache is full of others. The two complex floats of one
// are `second` apart or, where that is 0, neighbours at a multiple of 16 bytes.
__device__ __forceinline__ void load_element(const double2* p, long long, bool, double& r, double& i) {
  const double2 v = __ldcs(p);
  r = v.x, i = v.y;
}
__device__ __forceinline__ void load_element(const float2* p, long long second, bool neighbours, FloatPair& r,
                                             FloatPair& i) {
  if (neighbours && second == 0) {
    const float4 v = __ldcs(reinterpret_cast<const float4*>(p));
    r = {v.x, v.z}, i = {v.y, v.w};
  } else {
    const float2 a = __ldcs(p), b = __ldcs(p + second);
    r = {a.x, b.x}, i = {a.y, b.y};
  }
}

// Whether the second cache should keep what is written, for neighbours to fill up what is only part of a line.
__device__ __forceinline__ uint64_t store_policy(bool keep) {
  uint64_t first, normal;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(first));
  asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(normal));
  return keep ? normal : first;
}

__device__ __forceinline__ void store_element(double2* p, long long, bool, uint64_t policy, double r, double i) {
  asm volatile("st.global.L2::cache_hint.v2.f64 [%0], {%1, %2}, %3;" ::"l"(p), "d"(r), "d"(i), "l"(policy) : "memory");
}
__device__ __forceinline__ void store_element(float2* p, long long second, bool neighbours, uint64_t policy,
                                              FloatPair r, FloatPair i) {
  if (neighbours && second == 0) {
    asm volatile("st.global.L2::cache_hint.v4.f32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(p), "f"(r.a), "f"(i.a), "f"(r.b),
                 "f"(i.b), "l"(policy)
                 : "memory");
  } else {
    asm volatile("st.global.L2::cache_hint.v2.f32 [%0], {%1, %2}, %3;" ::"l"(p), "f"(r.a), "f"(i.a), "l"(policy)
                 : "memory");
    asm volatile("st.global.L2::cache_hint.v2.f32 [%0], {%1, %2}, %3;" ::"l"(p + second), "f"(r.b), "f"(i.b),
                 "l"(policy)
                 : "memory");
  }
}

}  // namespace kallima::cuda
