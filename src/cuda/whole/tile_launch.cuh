#pragma once
// Starts kernels that are made of a Tile: one source file for each, since compiling them is what takes time.

#include <array>

#include "cuda/whole/tile_kernel.cuh"
#include "cuda/whole/tile_start.hpp"

namespace kallima::cuda {

template <class Shape, class V, TileMode mode>
int start_kernel(const TileCall& call, Stream stream) {
  auto* kernel = tile_kernel<Shape, V, mode>;
  constexpr int bytes = shared_bytes<Shape>;
  static const cudaError_t prepared = [&] {
    if (Shape::tile.ranks > 3) cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  }();
  if (prepared != cudaSuccess) return prepared;
  std::array<cudaLaunchAttribute, 2> attributes{};
  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[0].val.programmaticStreamSerializationAllowed = 1;
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim = {1U << Shape::tile.ranks, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = {call.tiles[0] << Shape::tile.ranks, call.tiles[1], call.tiles[2]};
  config.blockDim = {1U << Shape::tile.threads, 1, 1};
  config.dynamicSmemBytes = bytes;
  config.stream = stream;
  config.attrs = attributes.data();
  config.numAttrs = Shape::tile.ranks > 0 ? 2 : 1;
  if (call.tiles[0] > 0) return cudaLaunchKernelEx(&config, kernel, call);
  cudaFuncAttributes compiled{};
  if (cudaFuncGetAttributes(&compiled, kernel) != cudaSuccess || compiled.ptxVersion < 90) {
    cudaGetLastError();
    return cudaErrorNoKernelImageForDevice;
  }
  config.gridDim = {1U << Shape::tile.ranks, 1, 1};
  int clusters = 1;
  const cudaError_t asked =
      Shape::tile.ranks > 0 ? cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) : cudaSuccess;
  cudaGetLastError();
  return asked != cudaSuccess ? asked : clusters > 0 ? cudaSuccess : cudaErrorLaunchOutOfResources;
}

template <class Shape, TileMode mode>
int start_either(TileNumbers numbers, const TileCall& call, Stream stream) {
  return numbers == TileNumbers::doubles ? start_kernel<Shape, double, mode>(call, stream)
                                         : start_kernel<Shape, FloatPair, mode>(call, stream);
}

// Rows come first on the way there and last on the way back; columns come last, or have the factors in their middle.
template <class Shape, class V>
int start_rows_of(TileMode mode, const TileCall& call, Stream stream) {
  return mode == TileMode::forward ? start_kernel<Shape, V, TileMode::forward>(call, stream)
                                   : start_kernel<Shape, V, TileMode::mirrored>(call, stream);
}

template <class Shape>
int start_rows(TileMode mode, TileNumbers numbers, const TileCall& call, Stream stream) {
  return numbers == TileNumbers::doubles ? start_rows_of<Shape, double>(mode, call, stream)
                                         : start_rows_of<Shape, FloatPair>(mode, call, stream);
}

template <class Shape>
int start_columns(TileMode mode, TileNumbers numbers, const TileCall& call, Stream stream) {
  if (mode == TileMode::forward) return start_either<Shape, TileMode::forward>(numbers, call, stream);
  return start_either<Shape, TileMode::apply>(numbers, call, stream);
}

}  // namespace kallima::cuda
