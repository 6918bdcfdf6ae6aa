#include <fmt/ranges.h>

#include <set>

#include "base/check.hpp"
#include "cuda/model/spread_task.hpp"
#include "cuda/model/whole_run.hpp"
#include "kallima/cuda.hpp"
#include "schedule/walk.hpp"

namespace kallima {
namespace {

struct Launches {
  Index passes = 0;  // of lines, one launch each or a few
  Index whole = 0;
  std::set<std::string> arrays = {};  // that are transformed as a whole
};

// Where iterations depend on each other, each of them is launched by itself.
Index one_by_one(const std::vector<Step>& steps) {
  Index sum = 0;
  for (const Step& step : steps) sum += step.body.empty() ? 1 : step.repeat * one_by_one(step.body);
  return sum;
}

void count(const Task& task, Precision precision, Direction direction, Launches& launches) {
  const auto spread = cuda::spread_task(task.steps);
  if (!spread) {
    launches.passes += one_by_one(task.steps);
    return;
  }
  const std::vector<Pass>& passes = spread->passes;
  for (std::size_t i = 0; i < passes.size();) {
    const cuda::WholeRun run = cuda::whole_run(std::span(passes).subspan(i), precision, direction);
    i += std::max<std::size_t>(1, run.passes);
    if (run.passes == 0) {
      ++launches.passes;
      continue;
    }
    ++launches.whole;
    launches.arrays.insert(fmt::format("{} along {}", text(run.problem.shape), fmt::join(run.problem.axes, ",")));
  }
}

}  // namespace

std::string cuda_explanation(const RankSchedule& schedule, Precision precision, Direction direction) {
  Launches launches;
  Index tasks = 0;
  for (const Task& task : schedule.tasks) {
    if (task.kind != TaskKind::compute && task.kind != TaskKind::copy) continue;
    ++tasks;
    count(task, precision, direction, launches);
  }
  std::string words = fmt::format("{} task{} of computing: {} pass{} over lines", tasks, tasks == 1 ? "" : "s",
                                  launches.passes, launches.passes == 1 ? "" : "es");
  if (launches.whole > 0)
    words += fmt::format(", {} transform{} of whole arrays ({})", launches.whole, launches.whole == 1 ? "" : "s",
                         fmt::join(launches.arrays, "; "));
  return words;
}

}  // namespace kallima
