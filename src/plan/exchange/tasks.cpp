#include "plan/exchange/tasks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "schedule/lines.hpp"

namespace kallima {
namespace {

struct Work {
  double flops = 0;
  Index reals = 0;  // moved: two for each complex number
};

Index reals_of(Index elements, const std::vector<Piece>& pieces) {
  return !pieces.empty() && pieces.front().real ? elements : 2 * elements;
}

Work work_of(const Pass& pass) {
  Index lines = 1;
  for (const Index extent : pass.loops) lines *= extent;
  const double n = static_cast<double>(pass.length);
  const bool of_reals = reals_of(1, pass.sources) == 1 || reals_of(1, pass.targets) == 1;
  const double transform = pass.action == Action::transform ? (of_reals ? 2.5 : 5) * n * std::log2(n) : 0;
  // The customary 5 n log2 n has the twiddle factors inside: a transform done in parts counts as much as in one.
  const double twiddle = pass.twiddle.modulus > 0 && pass.action == Action::move ? 6 * n : 0;
  const double sum = pass.action == Action::sum ? 2 * (n - 1) : 0;
  const Index moved = reals_of(elements_read(pass), pass.sources) + reals_of(elements_written(pass), pass.targets);
  return {static_cast<double>(lines) * (transform + twiddle + sum), lines * moved};
}

Work work_of(const std::vector<Step>& steps) {
  Work total;
  for (const Step& step : steps) {
    const Work one = step.body.empty() ? work_of(step.pass) : work_of(step.body);
    total.flops += static_cast<double>(step.repeat) * one.flops;
    total.reals += step.repeat * one.reals;
  }
  return total;
}

bool only_moves(const std::vector<Step>& steps) {
  for (const Step& step : steps)
    if (step.body.empty() ? step.pass.action != Action::move : !only_moves(step.body)) return false;
  return true;
}

constexpr Index copied_row = 2048;  // elements that a copy takes through the cache at a time

Piece row(const Place& place, Index offset, Index length) {
  return {.buffer = place.buffer,
          .recv = place.recv,
          .offset = place.offset + offset,
          .count = length,
          .strides = {length}};
}

void append_rows(std::vector<Step>& steps, const Place& from, const Place& to, Index offset, Index length,
                 Index count) {
  if (length == 0 || count == 0) return;
  Pass& pass = steps.emplace_back().pass;
  pass.action = Action::move;
  pass.length = length;
  pass.sources = {row(from, offset, length)};
  pass.targets = {row(to, offset, length)};
  pass.loops = {count};
}

void renumber_blocks(std::vector<Step>& steps, const std::vector<int>& number) {
  for (Step& step : steps) {
    renumber_blocks(step.body, number);
    for (Piece& source : step.pass.sources)
      if (source.recv >= 0) source.recv = number[static_cast<std::size_t>(source.recv)];
  }
}

}  // namespace

void append_copy(std::vector<Step>& steps, const Place& from, const Place& to, Index count) {
  const Index whole = count / copied_row;
  append_rows(steps, from, to, 0, copied_row, whole);
  append_rows(steps, from, to, whole * copied_row, count % copied_row, 1);
}

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
  task.elements = (work.reals + 1) / 2;
  return add(std::move(task));
}

int TaskList::send_start(int peer, int tag, int chunk, Range from, std::vector<int> after) {
  Task task{.kind = TaskKind::send_start, .label = "exchange", .chunk = chunk, .peer = peer, .tag = tag, .range = from};
  task.after = std::move(after);
  task.elements = from.real ? (from.count + 1) / 2 : from.count;
  return add(std::move(task));
}

int TaskList::recv_start(int peer, int tag, int chunk, Index count, Range landing, std::vector<int> after) {
  Task task{
      .kind = TaskKind::recv_start, .label = "exchange", .chunk = chunk, .peer = peer, .tag = tag, .range = landing};
  task.after = std::move(after);
  task.elements = landing.real ? (count + 1) / 2 : count;
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

RankSchedule reordered(RankSchedule schedule, const std::vector<int>& order) {
  std::vector<int> number(schedule.tasks.size(), -1);  // by old number
  for (std::size_t i = 0; i < order.size(); ++i) number[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  std::vector<Task> tasks;
  for (const int old : order) {
    Task& task = tasks.emplace_back(std::move(schedule.tasks[static_cast<std::size_t>(old)]));
    for (int& before : task.after) before = number[static_cast<std::size_t>(before)];
    if (task.start >= 0) task.start = number[static_cast<std::size_t>(task.start)];
    renumber_blocks(task.steps, number);
  }
  schedule.tasks = std::move(tasks);
  return schedule;
}

RankSchedule receives_first(RankSchedule schedule) {
  std::vector<int> order(schedule.tasks.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_partition(order.begin(), order.end(), [&](int t) {
    const Task& task = schedule.tasks[static_cast<std::size_t>(t)];
    return task.kind == TaskKind::recv_start && task.after.empty();
  });
  return reordered(std::move(schedule), order);
}

}  // namespace kallima
