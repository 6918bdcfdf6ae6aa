#pragma once
// What CUDA and cuFFT return, turned into our Error: what was being done, the number, and the library's own text.

#include <cuda_runtime_api.h>
#include <cufft.h>

#include "base/check.hpp"

namespace kallima::cuda {

inline void check(cudaError_t result, const char* action) {
  require(result == cudaSuccess, "{} failed on the CUDA device (error {}: {})", action, static_cast<int>(result),
          cudaGetErrorString(result));
}

inline void check(cufftResult result, const char* action) {
  require(result == CUFFT_SUCCESS, "cuFFT failed to {} (its result {})", action, static_cast<int>(result));
}

}  // namespace kallima::cuda
