#include "kallima/outline.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "schedule/checks.hpp"

namespace kallima {
void Script::reserve(std::size_t tasks, std::size_t dependencies) {
  tasks_.reserve(tasks);
  first_after_.reserve(tasks + 1);
  after_.reserve(dependencies);
}

int Script::add(const OutlineTask& task, std::span<const int> after) {
  tasks_.push_back(task);
  after_.insert(after_.end(), after.begin(), after.end());
  first_after_.push_back(static_cast<std::uint32_t>(after_.size()));
  return static_cast<int>(tasks_.size()) - 1;
}

// A counting sort of the dependencies by the task they wait for.
void Script::close() {
  first_follower_.assign(tasks_.size() + 1, 0);
  for (const int earlier : after_) ++first_follower_[at(earlier) + 1];
  for (std::size_t i = 0; i < tasks_.size(); ++i) first_follower_[i + 1] += first_follower_[i];
  std::vector<std::uint32_t> next(first_follower_.begin(), first_follower_.end() - 1);
  followers_.resize(after_.size());
  for (int task = 0; at(task) < tasks_.size(); ++task)
    for (const int earlier : after(task)) followers_[next[at(earlier)]++] = task;
}

int Outline::peer_of(int rank, int peer) const {
  if (peers == Peers::absolute) return peer;
  return peers == Peers::ring ? (rank + peer) % ranks : rank ^ peer;
}

std::uint8_t Outline::stage_number(const std::string& label) {
  const auto found = std::ranges::find(stages, label);
  const auto number = static_cast<std::size_t>(found - stages.begin());
  require(number < 255, "more than 255 different labels of tasks ({} is one too many)", label);
  if (found == stages.end()) stages.push_back(label);
  return static_cast<std::uint8_t>(number);
}

Index Outline::task_count() const {
  Index count = 0;
  for (const Script& script : scripts) count += static_cast<Index>(script.size());
  return scripts.size() == 1 ? count * ranks : count;
}

Outline outline(const Schedule& schedule) {
  Outline all{.name = schedule.name, .ranks = static_cast<int>(schedule.ranks.size())};
  if (schedule.purpose) all.word_bytes = word_bytes(schedule.purpose->precision);
  checks::check_structure(schedule, schedule.aliasing);
  const checks::Matching matching = checks::match_messages(schedule);
  for (const RankSchedule& rank : schedule.ranks) {
    Script& script = all.scripts.emplace_back();
    for (const Task& task : rank.tasks) {
      OutlineTask it{
          .kind = task.kind, .peer = task.peer, .match = task.start, .words = task.elements, .flops = task.flops};
      if (task.kind == TaskKind::send_start)
        it.match = matching.finish[at(task.peer)][at(matching.partner[at(rank.rank)][script.size()])];
      it.stage = all.stage_number(task.label);
      script.add(it, task.after);
    }
    script.close();
  }
  return all;
}

}  // namespace kallima
