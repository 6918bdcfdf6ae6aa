#pragma once
// All of a task's steps as few launches as there can be.

#include "cuda/queue.cuh"

namespace kallima::cuda {

// None where the steps are best taken one by one, as they are.
std::unique_ptr<const Kernel> compile_whole_task(const Task& task, Precision precision, Direction direction,
                                                 Effort effort, const Backend& backend, std::shared_ptr<Queue> queue);

}  // namespace kallima::cuda
