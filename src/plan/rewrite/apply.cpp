// Forward, the caller's function and backward as one schedule. The function is a step more of the tasks that write the
// spectrum or, where what these write is scattered, a task of its own.

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/check.hpp"
#include "plan/exchange/tasks.hpp"
#include "plan/rewrite/rewrite.hpp"
#include "schedule/walk.hpp"

namespace kallima {
namespace {

constexpr Index shortest_run = 32;  // on average: shorter ones cost more to find than they save

struct WrittenRun {
  Index begin = 0;
  Index length = 0;
};

// The task that writes an element of `out` last, for each.
std::vector<std::int32_t> last_writers(const RankSchedule& schedule) {
  std::vector<std::int32_t> writers(static_cast<std::size_t>(schedule.size(Buffer::out)), -1);
  for (std::size_t t = 0; t < schedule.tasks.size(); ++t) {
    std::vector<Index> indices;
    checks::for_each_execution(schedule.tasks[t].steps, indices, [&](const Pass& pass, std::span<const Index> at) {
      for (const Piece& piece : pass.targets) {
        // What stands there before the spectrum does may be of another kind.
        if (piece.buffer != Buffer::out || piece.real != (schedule.data_out == Data::real_)) continue;
        Index offset = piece.offset;
        const std::vector<checks::LoopAxis> axes = checks::axes_of(piece, pass, at, offset);
        checks::for_each_run(offset, axes, [&](Index begin, Index end) {
          std::fill(writers.begin() + begin, writers.begin() + end, static_cast<std::int32_t>(t));
        });
      }
    });
  }
  return writers;
}

// What each task writes last, by task.
std::vector<std::vector<WrittenRun>> runs_by_writer(const RankSchedule& schedule) {
  const std::vector<std::int32_t> writers = last_writers(schedule);
  std::vector<std::vector<WrittenRun>> runs(schedule.tasks.size());
  for (std::size_t e = 0; e < writers.size();) {
    std::size_t end = e;
    while (end < writers.size() && writers[end] == writers[e]) ++end;
    require(writers[e] >= 0, "element {} of the spectrum on rank {} is written by no task of {}", e, schedule.rank,
            schedule.tasks.size());
    runs[at(writers[e])].push_back({static_cast<Index>(e), static_cast<Index>(end - e)});
    e = end;
  }
  return runs;
}

Step apply_step(const WrittenRun& run, Index distance, Index count, bool real) {
  const Piece piece{
      .buffer = Buffer::out, .offset = run.begin, .count = run.length, .strides = {distance}, .real = real};
  Step step;
  step.pass = {.action = Action::apply, .length = run.length, .sources = {piece}, .targets = {piece}, .loops = {count}};
  return step;
}

// Long runs in rows, whose elements a backend can count.
void append_factors(Task& task, const WrittenRun& run, Index distance, Index count) {
  constexpr Index row = Index{1} << 16;
  const Index rows = run.length / row, done = rows * row;
  const auto add = [&](Index begin, Index length, Index repeats) {
    if (length == 0 || repeats == 0) return;
    Piece piece{.buffer = Buffer::out, .offset = run.begin + begin, .count = length, .strides = {distance, length}};
    Piece factors = piece;
    factors.buffer = Buffer::kept;
    factors.first = length;
    Step& step = task.steps.emplace_back();
    step.pass = {.action = Action::multiply, .length = length, .targets = {piece}, .loops = {count, repeats}};
    step.pass.sources = {std::move(piece), std::move(factors)};
  };
  add(0, row, rows);
  add(done, run.length - done, 1);
  task.flops += 6 * static_cast<double>(run.length * count);
}

// Runs of one length at even distances are one pass.
void append_apply(Task& task, const std::vector<WrittenRun>& runs, bool real, ApplyBy by) {
  Index elements = 0;
  for (std::size_t i = 0; i < runs.size();) {
    std::size_t end = i + 1;
    const Index distance = end < runs.size() ? runs[end].begin - runs[i].begin : runs[i].length;
    while (end < runs.size() && runs[end].length == runs[i].length && runs[end].begin - runs[end - 1].begin == distance)
      ++end;
    const auto count = static_cast<Index>(end - i);
    if (by == ApplyBy::factors)
      append_factors(task, runs[i], distance, count);
    else
      task.steps.push_back(apply_step(runs[i], distance, count, real));
    elements += runs[i].length * static_cast<Index>(end - i);
    i = end;
  }
  if (runs.empty()) return;
  task.kind = TaskKind::compute;
  task.elements += real ? elements : 2 * elements;
}

bool scattered(const std::vector<WrittenRun>& runs) {
  Index elements = 0;
  for (const WrittenRun& run : runs) elements += run.length;
  return elements < shortest_run * static_cast<Index>(runs.size());
}

// A forward schedule that leaves the function's result. Where what tasks write is scattered there is one task more,
// which sees the spectrum as a whole.
RankSchedule with_function(RankSchedule schedule, ApplyBy by) {
  const bool real = schedule.data_out == Data::real_;
  const std::vector<std::vector<WrittenRun>> runs = runs_by_writer(schedule);
  const bool late = std::ranges::any_of(runs, scattered);
  Task whole{.kind = TaskKind::compute, .label = "apply"};
  for (std::size_t t = 0; t < runs.size(); ++t) {
    if (!late) append_apply(schedule.tasks[t], runs[t], real, by);
    if (!runs[t].empty()) whole.after.push_back(static_cast<int>(t));
  }
  if (by == ApplyBy::factors) schedule.sizes[at(Buffer::kept)] = schedule.size(Buffer::out);
  if (!late) return schedule;
  append_apply(whole, {{0, schedule.size(Buffer::out)}}, real, by);
  schedule.tasks.push_back(std::move(whole));
  return schedule;
}

// Whether a task reads `in`, or writes `out`; of messages the side that is seen from here.
bool touches(const Task& task, Buffer buffer) {
  const bool reads = buffer == Buffer::in;
  bool found = task.kind == (reads ? TaskKind::send_finish : TaskKind::recv_start) && task.range.buffer == buffer &&
               task.range.count > 0;
  checks::visit_passes(task.steps, [&](const Pass& pass) {
    for (const Piece& p : reads ? pass.sources : pass.targets) found = found || (p.recv < 0 && p.buffer == buffer);
  });
  return found;
}

}  // namespace

void read_before_writing(RankSchedule& schedule) {
  std::vector<int> readers;
  for (std::size_t t = 0; t < schedule.tasks.size(); ++t)
    if (touches(schedule.tasks[t], Buffer::in)) readers.push_back(static_cast<int>(t));
  for (std::size_t t = 0; t < schedule.tasks.size(); ++t) {
    std::vector<int>& after = schedule.tasks[t].after;
    if (!touches(schedule.tasks[t], Buffer::out)) continue;
    after.insert(after.end(), readers.begin(), readers.end());
    sort_unique(after);
  }
}

RankSchedule in_one_task(RankSchedule schedule) {
  if (schedule.tasks.empty()) return schedule;
  Task all{.kind = TaskKind::compute, .label = schedule.tasks.front().label};
  for (Task& task : schedule.tasks) {
    expect(task.kind == TaskKind::compute || task.kind == TaskKind::copy);
    all.flops += task.flops;
    all.elements += task.elements;
    std::ranges::move(task.steps, std::back_inserter(all.steps));
  }
  schedule.tasks = {std::move(all)};
  return schedule;
}

AppliedSchedule applied_schedule(const Plan& plan, int rank, ApplyBy by) {
  RankSchedule there = with_function(plan.rank_schedule(rank, Direction::forward), by);
  RankSchedule back = plan.rank_schedule(rank, Direction::backward);
  for (Task& task : back.tasks) checks::visit_passes(task.steps, [](Pass& pass) { pass.reversed = !pass.reversed; });
  const Index spectrum = there.size(Buffer::work);
  AppliedSchedule result{.tasks = joined(std::move(there), std::move(back)), .spectrum = spectrum};
  read_before_writing(result.tasks);
  result.tasks = in_order(std::move(result.tasks));
  return result;
}

}  // namespace kallima
