#include "plan/exchange/tasks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <queue>

#include "kallima/problem.hpp"
#include "plan/exchange/region.hpp"
#include "schedule/walk.hpp"

namespace kallima {
namespace {

struct PassWork {
  double flops = 0;
  Index reals = 0;  // moved: two for each complex number
};

bool are_real(const std::vector<Piece>& pieces) { return !pieces.empty() && pieces.front().real; }

PassWork work_of(const Pass& pass) {
  const Index lines = element_count(pass.loops);
  const double n = static_cast<double>(pass.length);
  const bool of_reals = are_real(pass.sources) || are_real(pass.targets);
  const double transform = pass.action == Action::transform ? (of_reals ? 2.5 : 5) * n * std::log2(n) : 0;
  // The customary 5 n log2 n has the twiddle factors inside: a transform done in parts counts as much as in one.
  const double twiddle = pass.twiddle.modulus > 0 && pass.action == Action::move ? 6 * n : 0;
  const double sum = pass.action == Action::sum ? 2 * (n - 1) : 0;
  const bool multiplies = pass.action == Action::multiply || pass.action == Action::chirp;
  const double product = multiplies ? (of_reals ? 3 : 6) * n : 0;
  const Index moved = reals_of(pass.sources) + reals_of(pass.targets);
  return {static_cast<double>(lines) * (transform + twiddle + sum + product), lines * moved};
}

PassWork work_of(const std::vector<Step>& steps) {
  PassWork total;
  for (const Step& step : steps) {
    const PassWork one = step.body.empty() ? work_of(step.pass) : work_of(step.body);
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

Piece row(const Location& place, Index offset, Index length) {
  return {.buffer = place.buffer,
          .recv = place.recv,
          .offset = place.offset + offset,
          .count = length,
          .strides = {length},
          .real = place.real};
}

void append_rows(std::vector<Step>& steps, const Location& from, const Location& to, Index offset, Index length,
                 Index count) {
  if (length == 0 || count == 0) return;
  Pass& pass = steps.emplace_back().pass;
  pass.action = Action::move;
  pass.length = length;
  pass.sources = {row(from, offset, length)};
  pass.targets = {row(to, offset, length)};
  pass.loops = {count};
}

// By how much the pieces of a copy stand behind those of another that is the same otherwise.
std::optional<std::array<Index, 2>> distances(const Step& a, const Step& b) {
  if (a.pass.sources.size() != 1 || a.pass.targets.size() != 1 || b.pass.sources.size() != 1) return std::nullopt;
  Step moved = a;
  std::array<Index, 2> by{};
  for (const int end : {0, 1}) {
    const auto pieces = end == 0 ? &Pass::sources : &Pass::targets;
    by[at(end)] = (b.pass.*pieces)[0].offset - (a.pass.*pieces)[0].offset;
    (moved.pass.*pieces)[0].offset = (b.pass.*pieces)[0].offset;
  }
  return moved == b ? std::optional(by) : std::nullopt;
}

// Input and output may be one array.
bool reads_what_it_writes(const Pass& pass) {
  const Piece &from = pass.sources[0], &to = pass.targets[0];
  const auto is_outer = [](const Piece& piece) { return piece.buffer == Buffer::in || piece.buffer == Buffer::out; };
  const bool together = from.buffer == to.buffer || (is_outer(from) && is_outer(to));
  return from.recv < 0 && together && meet(region_of(from, pass, {}), region_of(to, pass, {}));
}

Pass with_loop(Pass pass, std::size_t count, const std::array<Index, 2>& strides) {
  pass.loops.insert(pass.loops.begin(), static_cast<Index>(count));
  if (pass.twiddle.loop >= 0) ++pass.twiddle.loop;
  pass.sources[0].strides.insert(pass.sources[0].strides.begin(), strides[0]);
  pass.targets[0].strides.insert(pass.targets[0].strides.begin(), strides[1]);
  return pass;
}

}  // namespace

std::vector<Step> folded(std::vector<Step> steps) {
  std::vector<Step> all;
  for (std::size_t i = 0, count = 1; i < steps.size(); i += count) {
    const auto next = [&](std::size_t k) {
      return k + 1 < steps.size() ? distances(steps[k], steps[k + 1]) : std::nullopt;
    };
    const auto by = next(i);
    for (count = 1; by && next(i + count - 1) == by;) ++count;
    if (count > 1) {
      Pass pass = with_loop(steps[i].pass, count, *by);
      if (reads_what_it_writes(pass))
        count = 1;
      else
        steps[i].pass = std::move(pass);
    }
    all.push_back(std::move(steps[i]));
  }
  return all.size() < steps.size() ? folded(std::move(all)) : all;
}

void append_copy(std::vector<Step>& steps, const Location& from, const Location& to, Index count) {
  const Index whole = count / copied_row;
  append_rows(steps, from, to, 0, copied_row, whole);
  append_rows(steps, from, to, whole * copied_row, count % copied_row, 1);
}

Task compute_task(std::string label, int chunk, std::vector<Step> steps) {
  const PassWork work = work_of(steps);
  Task task{.kind = only_moves(steps) ? TaskKind::copy : TaskKind::compute, .label = std::move(label), .chunk = chunk};
  task.steps = std::move(steps);
  task.flops = work.flops;
  task.elements = (work.reals + 1) / 2;
  return task;
}

Task send_task(int peer, int tag, int chunk, const Range& from) {
  return send_task(peer, tag, chunk, from, from.count);
}

Task send_task(int peer, int tag, int chunk, const Range& from, Index count) {
  Task task{.kind = TaskKind::send_start, .label = "exchange", .chunk = chunk, .peer = peer, .tag = tag, .range = from};
  task.elements = from.real ? (count + 1) / 2 : count;
  return task;
}

Task receive_task(int peer, int tag, int chunk, Index count, const Range& landing) {
  Task task{
      .kind = TaskKind::recv_start, .label = "exchange", .chunk = chunk, .peer = peer, .tag = tag, .range = landing};
  task.elements = landing.real ? (count + 1) / 2 : count;
  return task;
}

Task finish_task(const Task& start, int number) {
  Task task = start;
  task.kind = start.kind == TaskKind::send_start ? TaskKind::send_finish : TaskKind::recv_finish;
  task.start = number;
  task.after = {number};
  return task;
}

int TaskList::add(Task task, const std::vector<int>& after) {
  task.after.insert(task.after.begin(), after.begin(), after.end());
  schedule_.tasks.push_back(std::move(task));
  return static_cast<int>(schedule_.tasks.size()) - 1;
}

int TaskList::finish(int start) { return add(finish_task(schedule_.tasks[at(start)], start)); }

void relocate(Task& task, std::span<const Region> now) {
  const auto move = [&](Buffer& buffer, Index& offset, bool real) {
    const Region& to = now[at(buffer)];
    buffer = to.buffer;
    offset += (real ? 2 : 1) * to.base;
  };
  if (task.range.count > 0) move(task.range.buffer, task.range.offset, task.range.real);
  checks::visit_passes(task.steps, [&](Pass& pass) {
    for (std::vector<Piece>* pieces : {&pass.sources, &pass.targets})
      for (Piece& p : *pieces)
        if (p.recv < 0) move(p.buffer, p.offset, p.real);
  });
}

void renumber(Task& task, const std::function<int(int)>& number) {
  for (int& before : task.after) before = number(before);
  if (task.start >= 0) task.start = number(task.start);
  checks::for_each_received(task.steps, [&](int& recv) { recv = number(recv); });
}

RankSchedule reordered(RankSchedule schedule, const std::vector<int>& order) {
  std::vector<int> number(schedule.tasks.size(), -1);  // by old number
  for (std::size_t i = 0; i < order.size(); ++i) number[at(order[i])] = static_cast<int>(i);
  for (Task& task : schedule.tasks) renumber(task, [&](int t) { return number[at(t)]; });
  for (std::size_t i = 0; i < number.size(); ++i)  // where they stand: there may be very many
    while (at(number[i]) != i) {
      std::swap(schedule.tasks[i], schedule.tasks[at(number[i])]);
      std::swap(number[i], number[at(number[i])]);
    }
  return schedule;
}

RankSchedule in_order(RankSchedule schedule) {
  std::vector<std::vector<int>> followers(schedule.tasks.size());
  std::vector<std::size_t> unmet;
  std::priority_queue<int, std::vector<int>, std::greater<>> open;
  for (std::size_t t = 0; t < schedule.tasks.size(); ++t) {
    const std::vector<int>& after = schedule.tasks[t].after;
    for (const int before : after) followers[at(before)].push_back(static_cast<int>(t));
    unmet.push_back(after.size());
    if (after.empty()) open.push(static_cast<int>(t));
  }
  std::vector<int> order;
  while (!open.empty()) {
    order.push_back(open.top());
    open.pop();
    for (const int next : followers[at(order.back())])
      if (--unmet[at(next)] == 0) open.push(next);
  }
  return reordered(std::move(schedule), order);
}

RankSchedule receives_first(RankSchedule schedule) {
  std::vector<int> order(schedule.tasks.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_partition(order.begin(), order.end(), [&](int t) {
    const Task& task = schedule.tasks[at(t)];
    return task.kind == TaskKind::recv_start && task.after.empty();
  });
  return reordered(std::move(schedule), order);
}

}  // namespace kallima
