#include "lab/collective/collective_tasks.hpp"

#include <algorithm>

namespace kallima {
namespace {

std::vector<int> existing(const std::vector<int>& tasks) {
  std::vector<int> result;
  std::copy_if(tasks.begin(), tasks.end(), std::back_inserter(result), [](int t) { return t >= 0; });
  return result;
}

Piece element(const Place& place) {
  return {.buffer = place.buffer, .recv = place.recv, .offset = place.offset, .strides = {1}};
}

}  // namespace

CollectiveTasks::CollectiveTasks(const Collective& collective, int rank)
    : collective_(collective), rank_(rank), tasks_(rank, {}) {}

Part CollectiveTasks::parts(int first, int count) const {
  const Index begin = collective_part(collective_, std::min(first, ranks()));
  return {begin, collective_part(collective_, std::min(first + count, ranks())) - begin};
}

Index CollectiveTasks::room(Index elements) {
  work_ += elements;
  return work_ - elements;
}

int CollectiveTasks::receive(int from, Index count) {
  if (count == 0) return -1;
  const bool lands = collective_.exchange == Exchange::messages;
  const Range landing{Buffer::inbox, inbox_, lands ? count : 0};
  inbox_ += landing.count;
  return tasks_.finish(tasks_.recv_start(from, received_[from]++, step_, count, landing, {}));
}

void CollectiveTasks::send(int to, Index offset, Index count, const std::vector<int>& after) {
  if (count == 0) return;
  sends_.push_back(tasks_.send_start(to, sent_[to]++, step_, {Buffer::work, offset, count}, existing(after)));
}

int CollectiveTasks::copy(const std::vector<Move>& moves, const std::vector<int>& after) {
  std::vector<Step> steps;
  for (const Move& move : moves) append_copy(steps, move.from, move.to, move.count);
  return steps.empty() ? -1 : tasks_.compute("copy", step_, std::move(steps), existing(after));
}

int CollectiveTasks::sum(const std::vector<Sum>& sums, const std::vector<int>& after) {
  std::vector<Step> steps;
  for (const Sum& s : sums) {
    if (s.count == 0) continue;
    Step& step = steps.emplace_back();
    step.pass.action = Action::sum;
    step.pass.length = 2;
    step.pass.sources = {element(s.a), element(s.b)};
    step.pass.sources[1].first = 1;
    step.pass.targets = {element(s.to)};
    step.pass.loops = {s.count};
  }
  return steps.empty() ? -1 : tasks_.compute("sum", step_, std::move(steps), existing(after));
}

RankSchedule CollectiveTasks::take() {
  for (const int start : sends_) tasks_.finish(start);
  RankSchedule schedule = tasks_.take();
  schedule.sizes = {collective_in(collective_, rank_), collective_out(collective_, rank_), work_, inbox_};
  return receives_first(std::move(schedule));
}

}  // namespace kallima
