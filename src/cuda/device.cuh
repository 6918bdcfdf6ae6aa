#pragma once
// The device's memory, which frees itself.

#include <memory>
#include <vector>

#include "cuda/cuda_check.cuh"

namespace kallima::cuda {

// Of the current device.
inline std::shared_ptr<std::byte> device_memory(std::size_t bytes) {
  if (bytes == 0) return {};
  void* at = nullptr;
  const cudaError_t code = cudaMalloc(&at, bytes);
  if (code != cudaSuccess) {
    cudaGetLastError();
    std::size_t free = 0, total = 0;
    cudaMemGetInfo(&free, &total);
    fail("cannot get {} bytes of the device's memory ({}; {} of {} are free): use a smaller shape or more devices",
         bytes, cudaGetErrorString(code), free, total);
  }
  return {static_cast<std::byte*>(at), [](std::byte* p) { cudaFree(p); }};
}

// A copy in the device's memory.
template <class Item>
std::shared_ptr<Item> on_device(const std::vector<Item>& items) {
  const std::size_t bytes = items.size() * sizeof(Item);
  const std::shared_ptr<std::byte> memory = device_memory(bytes);
  if (bytes > 0) check(cudaMemcpy(memory.get(), items.data(), bytes, cudaMemcpyHostToDevice), "copying a table");
  return {memory, reinterpret_cast<Item*>(memory.get())};
}

}  // namespace kallima::cuda
