#pragma once
// One rank's tasks of a collective, listed as what it sends, receives and moves. What is sent stands in the work
// buffer, from where others may read it; what arrives is copied to where it is needed, which costs a model nothing. Who
// waits for whom follows from what is read and written. What has no elements is not done: parts may be empty.

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "kallima/collective.hpp"
#include "plan/exchange/tasks.hpp"

namespace kallima {

// A stretch of the vector.
struct Part {
  Index begin = 0, count = 0;
};

struct Move {
  Location from, to;
  Index count = 0;
  std::optional<Location> plus = {};  // is added on the way
};

class CollectiveTasks {
 public:
  CollectiveTasks(const Collective& collective, int rank) : collective_(collective), rank_(rank), tasks_(rank, {}) {}

  const Collective& collective() const { return collective_; }
  int rank() const { return rank_; }
  int ranks() const { return collective_.ranks; }
  Index words() const { return collective_.words; }
  Part parts(int first, int count) const {  // those of ranks first .. first + count - 1, as far as there are such
    const Index begin = collective_part(collective_, std::min(first, ranks()));
    return {begin, collective_part(collective_, std::min(first + count, ranks())) - begin};
  }
  Part part(int rank) const { return parts(rank, 1); }
  Part mine() const { return part(rank_); }
  Part whole() const { return {0, words()}; }

  void next_step() { ++step_; }  // of the algorithm; tasks carry it as their chunk

  Location reserve(Index elements) {  // more of the work buffer
    work_ += elements;
    return {Buffer::work, work_ - elements};
  }

  // Messages of a pair are numbered in order.
  Location receive(int from, Index count) {
    if (count == 0) return {};
    const bool lands = collective_.exchange == Exchange::messages;
    const Range landing{Buffer::inbox, inbox_, lands ? count : 0};
    inbox_ += landing.count;
    return received(tasks_.finish(tasks_.add(receive_task(from, received_[from]++, step_, count, landing))));
  }

  void send(int to, const Location& from, Index count) {
    if (count == 0) return;
    std::set<int> after;
    wait_for(from, count, after);
    sends_.push_back(
        tasks_.add(send_task(to, sent_[to]++, step_, {from.buffer, from.offset, count}), {after.begin(), after.end()}));
  }

  void move(const std::vector<Move>& moves) {  // all in one task
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
    const int task =
        tasks_.add(compute_task(sums ? "sum" : "copy", step_, std::move(steps)), {after.begin(), after.end()});
    for (const Move& m : moves)
      if (m.count > 0) written(m.to, m.count, task);
  }

  RankSchedule take() {  // receives posted first, sends finished last
    for (const int start : sends_) tasks_.finish(start);
    RankSchedule schedule = tasks_.take();
    schedule.sizes = {collective_in(collective_, rank_), collective_out(collective_, rank_), work_, inbox_};
    return receives_first(std::move(schedule));
  }

 private:
  static Piece element(const Location& place) {
    return {.buffer = place.buffer, .recv = place.recv, .offset = place.offset, .strides = {1}};
  }

  static void append_sum(std::vector<Step>& steps, const Move& move) {
    Pass& pass = steps.emplace_back().pass;
    pass.action = Action::sum;
    pass.length = 2;
    pass.sources = {element(move.from), element(*move.plus)};
    pass.sources[1].first = 1;
    pass.targets = {element(move.to)};
    pass.loops = {move.count};
  }

  void wait_for(const Location& read, Index count, std::set<int>& after) const {
    const auto found = writers_.find(read.buffer);
    if (read.recv >= 0) after.insert(read.recv);
    if (read.recv >= 0 || found == writers_.end()) return;
    auto writer = found->second.upper_bound(read.offset);
    if (writer != found->second.begin()) --writer;
    for (; writer != found->second.end() && writer->first < read.offset + count; ++writer)
      if (writer->second >= 0) after.insert(writer->second);
  }

  void written(const Location& to, Index count, int task) {
    std::map<Index, int>& writers = writers_[to.buffer];
    const auto next = writers.upper_bound(to.offset + count);
    const int behind = next == writers.begin() ? -1 : std::prev(next)->second;
    writers.erase(writers.lower_bound(to.offset), next);
    writers[to.offset] = task;
    writers[to.offset + count] = behind;
  }

  const Collective& collective_;
  const int rank_;
  TaskList tasks_;
  std::map<int, int> sent_, received_;              // tags used so far, by peer
  std::map<Buffer, std::map<Index, int>> writers_;  // by the first element that a task wrote, up to the next
  std::vector<int> sends_;
  Index work_ = 0, inbox_ = 0;
  int step_ = 0;
};

// A copy of the vector, or of a stretch of it, in the work buffer. Every stage has one of its own: what one stage has
// sent may still be read when the next one receives.
class Image {
 public:
  Image(CollectiveTasks& tasks, Part held) : t_(tasks), base_(tasks.reserve(held.count).offset - held.begin) {}

  Location at(Part part) const { return {Buffer::work, base_ + part.begin}; }
  void load(Part part, const Location& from) { t_.move({{from, at(part), part.count}}); }
  void send(int to, Part part) { t_.send(to, at(part), part.count); }
  void receive(int from, Part part) { load(part, t_.receive(from, part.count)); }
  void add(int from, Part part) { t_.move({{at(part), at(part), part.count, t_.receive(from, part.count)}}); }
  void deliver(Part part) { t_.move({{at(part), {Buffer::out}, part.count}}); }

  // Broadcasts deliver a part at once, and keep it only to send it on.
  void pass(const Location& from, Part part, bool keep) {
    t_.move({{from, at(part), keep ? part.count : 0}, {from, {Buffer::out, part.begin}, part.count}});
  }

 private:
  CollectiveTasks& t_;
  Index base_;
};

// What lists one rank's tasks of each collective.
using CollectiveAlgorithm = void(CollectiveTasks&);
CollectiveAlgorithm broadcast_binary, broadcast_binomial, broadcast_ring, broadcast_butterfly, broadcast_pipelined,
    broadcast_double, scatter, gather, allgather, reduce_scatter, reduce, allreduce, scan, alltoall_direct,
    alltoall_pairwise, alltoall_bruck;

}  // namespace kallima
