#pragma once
// Pieces of work in one memory, each of which waits for all of the one before.

#include "base/check.hpp"
#include "plan/exchange/tasks.hpp"
#include "schedule/walk.hpp"

namespace kallima {

class Sequence {
 public:
  explicit Sequence(RankSchedule empty) : all_(std::move(empty)) {}

  void add(Task task) {
    task.after = std::move(last_);
    last_ = {static_cast<int>(all_.tasks.size())};
    all_.tasks.push_back(std::move(task));
  }

  // Its messages get tags of their own, by its number, which is the same on all ranks.
  void add(int number, RankSchedule part, const Regions& regions) {
    expect(number >= 0 && number < most_parts);
    const auto first = static_cast<int>(all_.tasks.size()), end = first + static_cast<int>(part.tasks.size());
    std::vector<bool> awaited(part.tasks.size(), false);
    for (Task& task : part.tasks) {
      for (const int before : task.after) awaited[at(before)] = true;
      if (task.start >= 0) awaited[at(task.start)] = true;
      relocate(task, regions);
      renumber(task, [&](int t) { return first + t; });
      if (task.after.empty() && task.start < 0) task.after = last_;
      if (task.tag >= 0) task.tag = most_parts * task.tag + number;
      checks::visit_passes(task.steps, [](Pass& pass) { pass.scaled = false; });
      all_.tasks.push_back(std::move(task));
    }
    if (first == end) return;
    last_.clear();
    for (int t = first; t < end; ++t)
      if (!awaited[at(t - first)]) last_.push_back(t);
  }

  RankSchedule take() { return std::move(all_); }

 private:
  static constexpr int most_parts = 32;
  RankSchedule all_;
  std::vector<int> last_;
};

}  // namespace kallima
