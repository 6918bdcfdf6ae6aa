#include "lab/collective/collective_tasks.hpp"

#include <algorithm>

namespace kallima {
namespace {

Piece element(const Location& place) {
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

Part CollectiveTasks::parts(int first, int count) const {
  const Index begin = collective_part(collective_, std::min(first, ranks()));
  return {begin, collective_part(collective_, std::min(first + count, ranks())) - begin};
}

Location CollectiveTasks::reserve(Index elements) {
  work_ += elements;
  return {Buffer::work, work_ - elements};
}

void CollectiveTasks::wait_for(const Location& read, Index count, std::set<int>& after) const {
  const auto found = writers_.find(read.buffer);
  if (read.recv >= 0) after.insert(read.recv);
  if (read.recv >= 0 || found == writers_.end()) return;
  auto writer = found->second.upper_bound(read.offset);
  if (writer != found->second.begin()) --writer;
  for (; writer != found->second.end() && writer->first < read.offset + count; ++writer)
    if (writer->second >= 0) after.insert(writer->second);
}

void CollectiveTasks::written(const Location& to, Index count, int task) {
  std::map<Index, int>& writers = writers_[to.buffer];
  const auto next = writers.upper_bound(to.offset + count);
  const int behind = next == writers.begin() ? -1 : std::prev(next)->second;
  writers.erase(writers.lower_bound(to.offset), next);
  writers[to.offset] = task;
  writers[to.offset + count] = behind;
}

// Messages of a pair are numbered in order.
Location CollectiveTasks::receive(int from, Index count) {
  if (count == 0) return {};
  const bool lands = collective_.exchange == Exchange::messages;
  const Range landing{Buffer::inbox, inbox_, lands ? count : 0};
  inbox_ += landing.count;
  return received(tasks_.finish(tasks_.recv_start(from, received_[from]++, step_, count, landing, {})));
}

void CollectiveTasks::send(int to, const Location& from, Index count) {
  if (count == 0) return;
  std::set<int> after;
  wait_for(from, count, after);
  sends_.push_back(
      tasks_.send_start(to, sent_[to]++, step_, {Buffer::work, from.offset, count}, {after.begin(), after.end()}));
}

void CollectiveTasks::move(const std::vector<Move>& moves) {
  std::vector<Step> steps;
  std::set<int> after;
  bool sums = false;
  for (const Move& m : moves) {
    if (m.count == 0) continue;
    wait_for(m.from, m.count, after);
    if (m.plus) wait_for(*m.plus, m.count, after);
    m.plus ? append_sum(steps, m) : append_copy(steps, m.from, m.to, m.count);
    sums = sums || m.plus;
  }
  if (steps.empty()) return;
  const int task = tasks_.compute(sums ? "sum" : "copy", step_, std::move(steps), {after.begin(), after.end()});
  for (const Move& m : moves)
    if (m.count > 0) written(m.to, m.count, task);
}

RankSchedule CollectiveTasks::take() {
  for (const int start : sends_) tasks_.finish(start);
  RankSchedule schedule = tasks_.take();
  schedule.sizes = {collective_in(collective_, rank_), collective_out(collective_, rank_), work_, inbox_};
  return receives_first(std::move(schedule));
}

}  // namespace kallima
