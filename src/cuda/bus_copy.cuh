#pragma once
// Between an array in the host's memory and the work buffer in the device's: a copy by one of the engines that move
// data over the bus, each of which has a queue of its own.

#include "cuda/queue.cuh"

namespace kallima::cuda {

struct Engines {
  std::shared_ptr<Queue> up, down;
};

// Whether a pass has to do with the caller's arrays, which then are the host's.
bool crosses_the_bus(const Pass& pass);

// Of a pass that moves lines of neighbours between one of the caller's arrays and the device. Throws Error for any
// other: arrays in the host's memory are only copied.
std::unique_ptr<const Kernel> compile_bus_copy(const Pass& pass, std::size_t depth, const Element& element,
                                               const Engines& engines);

}  // namespace kallima::cuda
