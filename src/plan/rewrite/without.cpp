// A schedule's computing alone, or its exchange alone.

#include <algorithm>

#include "plan/rewrite/rewrite.hpp"
#include "schedule/walk.hpp"

namespace kallima {
namespace {

void read_own(std::vector<Step>& steps, const std::vector<Range>& landing) {
  checks::visit_passes(steps, [&](Pass& pass) {
    for (Piece& piece : pass.sources)
      if (piece.recv >= 0) piece = piece_within(landing[static_cast<std::size_t>(piece.recv)], piece);
  });
}

// Where the block of each recv_finish is taken to be.
std::vector<Range> landings(RankSchedule& schedule) {
  std::vector<Range> result(schedule.tasks.size());
  Index& inbox = schedule.sizes[static_cast<std::size_t>(Buffer::inbox)];
  for (std::size_t t = 0; t < result.size(); ++t) {
    const Task& task = schedule.tasks[t];
    if (task.kind != TaskKind::recv_finish) continue;
    result[t] = schedule.tasks[static_cast<std::size_t>(task.start)].range;
    if (result[t].count > 0) continue;
    const bool fits = task.elements <= schedule.size(Buffer::work);
    result[t] = {.buffer = fits ? Buffer::work : Buffer::inbox, .count = task.elements};
    if (!fits) inbox = std::max(inbox, task.elements);
  }
  return result;
}

RankSchedule computing(RankSchedule schedule) {
  const std::vector<Range> landing = landings(schedule);
  for (Task& task : schedule.tasks) {
    if (task.peer >= 0) task = {.label = task.label, .chunk = task.chunk, .after = task.after};
    read_own(task.steps, landing);
  }
  return schedule;
}

RankSchedule exchanging(RankSchedule schedule) {
  for (Task& task : schedule.tasks) {
    task.steps.clear();
    if (task.peer >= 0) continue;
    task.flops = 0;
    task.elements = 0;
  }
  return schedule;
}

}  // namespace

RankSchedule without(RankSchedule schedule, Only part) {
  if (part == Only::computation) return computing(std::move(schedule));
  return part == Only::communication ? exchanging(std::move(schedule)) : schedule;
}

}  // namespace kallima
