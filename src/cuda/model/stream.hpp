#pragma once
// A cudaStream_t, for headers that need no CUDA.

struct CUstream_st;

namespace kallima::cuda {

using Stream = CUstream_st*;

}  // namespace kallima::cuda
