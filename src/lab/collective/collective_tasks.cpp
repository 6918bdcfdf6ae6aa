#include "lab/collective/collective_tasks.hpp"

#include <algorithm>

namespace kallima {
namespace {

std::vector<int> existing(std::vector<int> tasks) {
  std::erase(tasks, -1);
  return tasks;
}

Piece element(const Place& place) {
  return {.buffer = place.buffer, .recv = place.recv, .offset = place.offset, .strides = {1}};
}

void append_sum(std::vector<Step>& steps, const Move& move) {
  Pass& pass = steps.emplace_back().pass;
  pass.action = Action::sum;
  pass.length = 2;
  pass.sources = {element(move.from), element(*move.plus)};
  pass.sources[1].first = 1;
  pass.targets = {element(move.to)};
  pass.loops = {move.count};
}

}  // namespace

CollectiveTasks::CollectiveTasks(const Collective& collective, int rank)
    : collective_(collective), rank_(rank), tasks_(rank, {}) {}

Part CollectiveTasks::parts(int first, int count) const {
  const Index begin = collective_part(collective_, std::min(first, ranks()));
  return {begin, collective_part(collective_, std::min(first + count, ranks())) - begin};
}

Index CollectiveTasks::reserve(Index elements) {
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

int CollectiveTasks::move(const std::vector<Move>& moves, const std::vector<int>& after) {
  std::vector<Step> steps;
  bool sums = false;
  for (const Move& m : moves) {
    sums = sums || m.plus;
    if (m.plus && m.count > 0)
      append_sum(steps, m);
    else
      append_copy(steps, m.from, m.to, m.count);
  }
  return steps.empty() ? -1 : tasks_.compute(sums ? "sum" : "copy", step_, std::move(steps), existing(after));
}

RankSchedule CollectiveTasks::take() {
  for (const int start : sends_) tasks_.finish(start);
  RankSchedule schedule = tasks_.take();
  schedule.sizes = {collective_in(collective_, rank_), collective_out(collective_, rank_), work_, inbox_};
  return receives_first(std::move(schedule));
}

void Image::receive(int from, Part part) {
  const int arrived = t.receive(from, part.count);
  load(part, received(arrived), {arrived});
}

void Image::receive_and_add(int from, Part part) {
  const int arrived = t.receive(from, part.count);
  std::vector<int> after = ready_;
  after.push_back(arrived);
  add(t.move({{at(part), at(part), part.count, received(arrived)}}, after));
}

}  // namespace kallima
