#pragma once
// A pass compiled for the device.

#include "cuda/queue.cuh"

namespace kallima::cuda {

template <class T>
std::unique_ptr<const Kernel> compile_lines(const Pass& pass, std::size_t depth, Direction direction,
                                            std::shared_ptr<Queue> queue);

}  // namespace kallima::cuda
