#include <algorithm>
#include <cmath>

#include "cuda/whole/pointwise.hpp"

namespace kallima::cuda {
namespace {

constexpr int threads = 256;

unsigned blocks_for(Index count) {
  return static_cast<unsigned>(std::clamp<Index>((count + threads - 1) / threads, 1, 1 << 20));
}

template <class Real>
__global__ void fill_with_noise(Real* values, Index count, unsigned seed) {
  const Index step = static_cast<Index>(gridDim.x) * blockDim.x;
  for (Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    unsigned long long x = (static_cast<unsigned long long>(i) + 1) * 0x9E3779B97F4A7C15ULL + seed;  // splitmix64
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    values[i] = static_cast<Real>(static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53 - 0.5);
  }
}

// Adds |a - b|^2 and |b|^2 to the two sums.
template <class Real>
__global__ void add_squares(const Real* a, const Real* b, Index count, double* sums) {
  double difference = 0, size = 0;
  const Index step = static_cast<Index>(gridDim.x) * blockDim.x;
  for (Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    const double d = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    difference += d * d, size += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  for (int lane = 16; lane > 0; lane /= 2) {
    difference += __shfl_down_sync(~0U, difference, lane);
    size += __shfl_down_sync(~0U, size, lane);
  }
  if (threadIdx.x % 32 == 0) atomicAdd(sums, difference), atomicAdd(sums + 1, size);
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

__global__ void multiply_and_add(double* nowhere, double factor, int rounds) {
  constexpr int chains = 8;  // that do not wait for each other
  double x[chains];
  for (int c = 0; c < chains; ++c) x[c] = threadIdx.x + c;
  for (int round = 0; round < rounds; ++round)
#pragma unroll
    for (int c = 0; c < chains; ++c) x[c] = fma(x[c], factor, 0.5);
  double sum = 0;
  for (int c = 0; c < chains; ++c) sum += x[c];
  if (sum == -1) *nowhere = sum;  // which the compiler cannot know
}

}  // namespace

double start_multiply_adds(double* nowhere, Stream stream) {
  constexpr int blocks = 4096, rounds = 2048, chains = 8;
  multiply_and_add<<<blocks, threads, 0, stream>>>(nowhere, 0.5, rounds);
  return 2.0 * blocks * threads * rounds * chains;
}

void start_noise(void* values, Index count, unsigned seed, Precision precision, Stream stream) {
  if (precision == Precision::double_)
    fill_with_noise<<<blocks_for(count), threads, 0, stream>>>(static_cast<double*>(values), count, seed);
  else
    fill_with_noise<<<blocks_for(count), threads, 0, stream>>>(static_cast<float*>(values), count, seed);
}

double relative_difference(const void* a, const void* b, Index count, Precision precision) {
  constexpr int blocks = 1024;
  double sums[2] = {0, 1};
  double* on_device = nullptr;
  if (cudaMalloc(&on_device, sizeof(sums)) != cudaSuccess) return std::nan("");
  cudaMemset(on_device, 0, sizeof(sums));
  if (precision == Precision::double_)
    add_squares<<<blocks, threads>>>(static_cast<const double*>(a), static_cast<const double*>(b), count, on_device);
  else
    add_squares<<<blocks, threads>>>(static_cast<const float*>(a), static_cast<const float*>(b), count, on_device);
  const bool failed = cudaMemcpy(sums, on_device, sizeof(sums), cudaMemcpyDeviceToHost) != cudaSuccess;
  cudaFree(on_device);
  return failed ? std::nan("") : std::sqrt(sums[0] / sums[1]);
}

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
