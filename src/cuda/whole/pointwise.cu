#include <algorithm>

#include "cuda/whole/pointwise.hpp"

namespace kallima::cuda {
namespace {

constexpr int threads = 256;

unsigned blocks_for(Index count) {
  return static_cast<unsigned>(std::clamp<Index>((count + threads - 1) / threads, 1, 1 << 20));
}

template <class Real>
__global__ void scale_reals(Real* values, Index count, Real scale) {
  const Index step = static_cast<Index>(gridDim.x) * blockDim.x;
  for (Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) values[i] *= scale;
}

template <class Real2>
__device__ Real2 times(Real2 a, Real2 b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
template <class Real2, class Real>
__device__ Real2 times(Real2 a, Real b) requires(sizeof(Real2) == 2 * sizeof(Real)) {
  return {a.x * b, a.y * b};
}

template <class Real2, class Number, class Real>
__global__ void multiply_complex(Real2* values, const Number* factors, Index count, Index period, Real scale) {
  const Index step = static_cast<Index>(gridDim.x) * blockDim.x;
  for (Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    values[i] = times(times(values[i], factors[period == count ? i : i % period]), scale);
}

template <class Real2, class Real>
void multiply(void* values, const void* factors, Index count, Index period, FactorKind factor, double scale,
              Stream stream) {
  auto* v = static_cast<Real2*>(values);
  const auto s = static_cast<Real>(scale);
  if (factor == FactorKind::complex_array)
    multiply_complex<<<blocks_for(count), threads, 0, stream>>>(v, static_cast<const Real2*>(factors), count, period,
                                                                s);
  else
    multiply_complex<<<blocks_for(count), threads, 0, stream>>>(v, static_cast<const Real*>(factors), count, period, s);
}

}  // namespace

void start_scale(void* values, Index count, double scale, Precision precision, Stream stream) {
  if (precision == Precision::double_)
    scale_reals<<<blocks_for(count), threads, 0, stream>>>(static_cast<double*>(values), count, scale);
  else
    scale_reals<<<blocks_for(count), threads, 0, stream>>>(static_cast<float*>(values), count,
                                                           static_cast<float>(scale));
}

void start_multiply(void* values, const void* factors, Index count, Index period, FactorKind factor, double scale,
                    Precision precision, Stream stream) {
  if (precision == Precision::double_)
    multiply<double2, double>(values, factors, count, period, factor, scale, stream);
  else
    multiply<float2, float>(values, factors, count, period, factor, scale, stream);
}

}  // namespace kallima::cuda
