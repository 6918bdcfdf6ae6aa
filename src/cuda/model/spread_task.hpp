#pragma once
// Repeats keep a processor's caches warm: a few lines are taken through several passes before the next ones are. A
// device would rather have each pass over all lines at once, as one launch. Where the iterations of a repeat touch
// nothing that others of them write, it may as well be the outermost loop of every pass in it.

#include <optional>

#include "kallima/schedule.hpp"

namespace kallima::cuda {

enum class Callers { maybe_one, two };  // arrays, `in` and `out`

// The passes of the steps, one after the other and without repeats; none where an iteration of some repeat touches what
// another writes.
std::optional<std::vector<Pass>> spread(const std::vector<Step>& steps, Callers arrays = Callers::maybe_one);

struct SpreadTask {
  std::vector<Pass> passes;
  Callers arrays;  // that it is right for
};
std::optional<SpreadTask> spread_task(const std::vector<Step>& steps);

}  // namespace kallima::cuda
