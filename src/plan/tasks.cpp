#include "plan/tasks.hpp"

#include <cmath>

namespace kallima {
namespace {

struct Work {
  double flops = 0;
  Index elements = 0;
};

Work work_of(const Pass& pass) {
  Index lines = 1;
  for (const Index extent : pass.loops) lines *= extent;
  const double n = static_cast<double>(pass.length);
  const double transform = pass.action == Action::transform ? 5 * n * std::log2(n) : 0;
  const double twiddle = pass.twiddle.modulus > 0 ? 6 * n : 0;
  return {static_cast<double>(lines) * (transform + twiddle), 2 * lines * pass.length};
}

Work work_of(const std::vector<Step>& steps) {
  Work total;
  for (const Step& step : steps) {
    const Work one = step.body.empty() ? work_of(step.pass) : work_of(step.body);
    total.flops += static_cast<double>(step.repeat) * one.flops;
    total.elements += step.repeat * one.elements;
  }
  return total;
}

bool only_moves(const std::vector<Step>& steps) {
  for (const Step& step : steps)
    if (step.body.empty() ? step.pass.action == Action::transform : !only_moves(step.body)) return false;
  return true;
}

}  // namespace

int TaskList::add(Task task) {
  schedule_.tasks.push_back(std::move(task));
  return static_cast<int>(schedule_.tasks.size()) - 1;
}

int TaskList::compute(std::string label, int chunk, std::vector<Step> steps, std::vector<int> after) {
  const Work work = work_of(steps);
  Task task{.kind = only_moves(steps) ? TaskKind::copy : TaskKind::compute, .label = std::move(label), .chunk = chunk};
  task.after = std::move(after);
  task.steps = std::move(steps);
  task.flops = work.flops;
  task.elements = work.elements;
  return add(std::move(task));
}

int TaskList::send_start(int peer, int tag, int chunk, Range from, std::vector<int> after) {
  Task task{.kind = TaskKind::send_start, .label = "exchange", .chunk = chunk, .peer = peer, .tag = tag, .range = from};
  task.after = std::move(after);
  task.elements = from.count;
  return add(std::move(task));
}

int TaskList::recv_start(int peer, int tag, int chunk, Index elements, Range landing, std::vector<int> after) {
  Task task{
      .kind = TaskKind::recv_start, .label = "exchange", .chunk = chunk, .peer = peer, .tag = tag, .range = landing};
  task.after = std::move(after);
  task.elements = elements;
  return add(std::move(task));
}

int TaskList::finish(int start, std::vector<int> after) {
  Task task = schedule_.tasks[static_cast<std::size_t>(start)];
  task.kind = task.kind == TaskKind::send_start ? TaskKind::send_finish : TaskKind::recv_finish;
  task.start = start;
  task.after = std::move(after);
  task.after.push_back(start);
  return add(std::move(task));
}

}  // namespace kallima
