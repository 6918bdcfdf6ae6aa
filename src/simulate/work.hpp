#pragma once
// What a computation costs: as much as the longer of its arithmetic and its way through memory (see machine.hpp).

#include <algorithm>

#include "kallima/machine.hpp"
#include "kallima/outline.hpp"

namespace kallima {

class WorkCost {
 public:
  WorkCost(const Outline& outline, const Machine& machine) : flop_rate_(flop_rate(machine)) {
    if (memory_rate(machine) > 0)
      flops_per_word_ = static_cast<double>(outline.word_bytes) * flop_rate_ / memory_rate(machine);
  }

  // In operations, those that could have been done instead.
  double flops(const OutlineTask& task) const {
    return std::max(task.flops, static_cast<double>(task.words) * flops_per_word_);
  }
  double time(const OutlineTask& task) const { return flops(task) / flop_rate_; }

 private:
  double flop_rate_;
  double flops_per_word_ = 0;
};

}  // namespace kallima
