// Two schedules as one: who waits for whom between them, and in what order their tasks are done.

#include <algorithm>
#include <numeric>

#include "plan/exchange/held.hpp"
#include "plan/exchange/region.hpp"
#include "plan/exchange/tasks.hpp"
#include "plan/rewrite/rewrite.hpp"
#include "schedule/walk.hpp"

namespace kallima {
namespace {

void append(RankSchedule& all, RankSchedule part, const Regions& regions, int number) {
  const auto first = static_cast<int>(all.tasks.size());
  for (Task& task : part.tasks) {
    relocate(task, regions);
    renumber(task, [&](int t) { return first + t; });
    checks::visit_passes(task.steps, [&](Pass& pass) { pass.scaled = pass.scaled && number == 1; });
    if (task.tag >= 0) task.tag = 2 * task.tag + number;
    all.tasks.push_back(std::move(task));
  }
}

struct Touched {
  int task;
  Footprint region;
};

// What tasks read or write between two words of the work buffer.
std::vector<Touched> touched(const RankSchedule& s, std::size_t begin, std::size_t end, const Range& joint,
                             bool writes) {
  const Footprint here = region_of(joint);
  std::vector<Touched> all;
  for (std::size_t t = begin; t < end; ++t)
    each_access(s.tasks[t], [&](Buffer buffer, const auto& where, bool written) {
      if (written != writes || buffer != Buffer::work) return;
      if (Footprint region = where(); region.first >= here.first && region.last <= here.last)
        all.push_back({static_cast<int>(t), std::move(region)});
    });
  return all;
}

void wait_for_writers(RankSchedule& s, std::size_t first_of_second, const Range& joint) {
  const std::vector<Touched> written = touched(s, 0, first_of_second, joint, true);
  for (const Touched& read : touched(s, first_of_second, s.tasks.size(), joint, false))
    for (const Touched& w : written)
      if (meet(read.region, w.region)) s.tasks[at(read.task)].after.push_back(w.task);
  for (Task& task : s.tasks) sort_unique(task.after);
}

// Lower numbers go first: what the second can make for others to receive would wait for all of the first. So a task
// that waits for no message is moved to behind the last one it needs, and receives that wait for nothing come first.
std::vector<int> eager_order(const RankSchedule& schedule) {
  const auto count = static_cast<int>(schedule.tasks.size());
  std::vector<int> key(schedule.tasks.size());
  for (int t = 0; t < count; ++t) {
    const Task& task = schedule.tasks[at(t)];
    const bool receives = task.kind == TaskKind::recv_start || task.kind == TaskKind::recv_finish;
    const bool free = task.after.empty();
    int latest = receives && free ? -1 : receives ? count : free ? t : 0;
    for (const int earlier : task.after) latest = std::max(latest, key[at(earlier)]);
    key[at(t)] = latest;
  }
  std::vector<int> order(schedule.tasks.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int a, int b) { return key[at(a)] < key[at(b)]; });
  return order;
}

}  // namespace

RankSchedule joined(RankSchedule first, RankSchedule second) {
  const Index joint = first.size(Buffer::work), size = words(first.size(Buffer::out), first.data_out);
  const Index work = joint + size, inbox = first.size(Buffer::inbox);
  RankSchedule all{
      .rank = first.rank,
      .sizes = {first.size(Buffer::in), second.size(Buffer::out), work + second.size(Buffer::work),
                inbox + second.size(Buffer::inbox), std::max(first.size(Buffer::kept), second.size(Buffer::kept))}};
  all.data_in = first.data_in;
  all.data_out = second.data_out;
  all.padding_out = second.padding_out;
  const std::size_t first_of_second = first.tasks.size();
  append(all, std::move(first),
         {{{Buffer::in}, {Buffer::work, joint}, {Buffer::work}, {Buffer::inbox}, {Buffer::kept}}}, 0);
  append(all, std::move(second),
         {{{Buffer::work, joint}, {Buffer::out}, {Buffer::work, work}, {Buffer::inbox, inbox}, {Buffer::kept}}}, 1);
  wait_for_writers(all, first_of_second, {Buffer::work, joint, size});
  const std::vector<int> order = eager_order(all);
  return reordered(std::move(all), order);
}

}  // namespace kallima
