// Variations of what was planned: its computing alone, its exchange alone, and other places for its arrays.
//
// In place and out of place. In place the input is set aside before anything is written over it. Out of place the
// output is the array that is worked in where it is no shorter than the input, and otherwise one of our own is.

#include <algorithm>

#include "plan/exchange/held.hpp"
#include "plan/exchange/region.hpp"
#include "plan/exchange/tasks.hpp"
#include "plan/rewrite/rewrite.hpp"

namespace kallima {
namespace {

bool touches_arrays(const Task& task) {
  bool found = false;
  each_access(task, [&](Buffer b, const auto&, bool) { found = found || b == Buffer::in || b == Buffer::out; });
  return found;
}

Region add_memory(RankSchedule& s, Index elements) {
  Index& end = s.sizes[at(Buffer::inbox)];
  const Region region{Buffer::inbox, end};
  end += elements;
  return region;
}

Task copy_task(const char* label, const Region& from, const Region& to, Data data, Index count) {
  const bool real = data == Data::real_;
  const auto place = [&](const Region& r) {
    return Location{.buffer = r.buffer, .offset = (real ? 2 : 1) * r.base, .real = real};
  };
  std::vector<Step> steps;
  append_copy(steps, place(from), place(to), count);
  return compute_task(label, 0, std::move(steps));
}

// Everything that works on the caller's arrays comes after the copy.
void copy_first(RankSchedule& s, const Regions& now) {
  for (Task& task : s.tasks) {
    renumber(task, [](int t) { return t + 1; });
    if (touches_arrays(task)) task.after.insert(task.after.begin(), 0);
    relocate(task, now);
  }
  const Region& to = now[at(Buffer::in)];
  const char* const label = to.buffer == Buffer::out ? "bring" : "set aside";
  s.tasks.insert(s.tasks.begin(), copy_task(label, {Buffer::in, 0}, to, s.data_in, s.size(Buffer::in)));
}

void copy_last(RankSchedule& s, const Region& from) {
  Task copy = copy_task("bring back", from, {Buffer::out, 0}, s.data_out, s.size(Buffer::out));
  std::vector<bool> awaited(s.tasks.size(), false);
  for (const Task& task : s.tasks)
    for (const int before : task.after) awaited[at(before)] = true;
  for (std::size_t t = 0; t < awaited.size(); ++t)
    if (!awaited[t]) copy.after.push_back(static_cast<int>(t));
  s.tasks.push_back(std::move(copy));
  s.padding_out = 0;
}

// How many words tasks look at from the first of what each recv_finish received: of arrays, more than these are sent.
std::vector<Index> words_looked_at(const RankSchedule& schedule) {
  std::vector<Index> result(schedule.tasks.size());
  for (std::size_t t = 0; t < result.size(); ++t)
    if (schedule.tasks[t].kind == TaskKind::recv_finish) result[t] = schedule.tasks[t].elements;
  for (const Task& task : schedule.tasks) {
    std::vector<Index> repeats;
    checks::for_each_pass(task.steps, repeats, [&](const Step& step, std::span<const Index> around) {
      for (const Piece& p : step.pass.sources)
        if (p.recv >= 0)
          result[at(p.recv)] = std::max(result[at(p.recv)], region_of(p, step.pass, around).last / 2 + 1);
    });
  }
  return result;
}

// Where the block of each recv_finish is taken to be.
std::vector<Range> landings(RankSchedule& schedule) {
  const std::vector<Index> looked_at = words_looked_at(schedule);
  std::vector<Range> result(schedule.tasks.size());
  Index& inbox = schedule.sizes[at(Buffer::inbox)];
  for (std::size_t t = 0; t < result.size(); ++t) {
    const Task& task = schedule.tasks[t];
    if (task.kind != TaskKind::recv_finish) continue;
    result[t] = schedule.tasks[at(task.start)].range;
    if (result[t].count > 0) continue;
    const bool fits = looked_at[t] <= schedule.size(Buffer::work);
    result[t] = {.buffer = fits ? Buffer::work : Buffer::inbox, .count = looked_at[t]};
    if (!fits) inbox = std::max(inbox, looked_at[t]);
  }
  return result;
}

RankSchedule computing(RankSchedule schedule) {
  const std::vector<Range> landing = landings(schedule);
  for (Task& task : schedule.tasks) {
    if (task.peer >= 0) task = {.label = task.label, .chunk = task.chunk, .after = task.after};
    read_in_memory(task.steps, [&](int recv) { return landing[at(recv)]; });
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

RankSchedule placed(RankSchedule s, Placement planned, Placement wanted) {
  if (planned == wanted) return s;
  const Index in = words(s.size(Buffer::in), s.data_in);
  const auto reals = [&](Buffer b, Data data) { return (data == Data::real_ ? 1 : 2) * s.size(b); };
  Regions now{{{Buffer::in}, {Buffer::out}, {Buffer::work}, {Buffer::inbox}, {Buffer::kept}}};
  if (wanted == Placement::in_place) {
    now[0] = add_memory(s, in);
  } else if (reals(Buffer::out, s.data_out) >= reals(Buffer::in, s.data_in)) {
    now[0] = {Buffer::out};
  } else {
    now[0] = now[1] = add_memory(s, std::max(in, words(s.size(Buffer::out), s.data_out)));
  }
  copy_first(s, now);
  if (now[1].buffer != Buffer::out) copy_last(s, now[1]);
  return s;
}

RankSchedule without(RankSchedule schedule, Only part) {
  if (part == Only::computation) return computing(std::move(schedule));
  return part == Only::communication ? exchanging(std::move(schedule)) : schedule;
}

}  // namespace kallima
