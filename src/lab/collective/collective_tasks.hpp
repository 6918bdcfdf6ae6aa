#pragma once
// Writing down one rank's tasks of a collective, step by step: who is sent which part of the vector, who sends which,
// and whether what arrives is moved or added. What is sent stands in the work buffer, from where others may read it;
// what arrives is read through its recv_finish and copied to where it is needed, which costs a model nothing. Things of
// no elements are not done at all and have the number -1, so that algorithms need not think of empty parts.

#include <map>
#include <optional>

#include "kallima/collective.hpp"
#include "plan/exchange/tasks.hpp"

namespace kallima {

// A stretch of the vector.
struct Part {
  Index begin = 0;
  Index count = 0;
};

struct Move {
  Place from;
  Place to;
  Index count = 0;
  std::optional<Place> plus = {};  // is added on the way
};

class CollectiveTasks {
 public:
  CollectiveTasks(const Collective& collective, int rank);

  const Collective& collective() const { return collective_; }
  int rank() const { return rank_; }
  int ranks() const { return collective_.ranks; }
  Index words() const { return collective_.words; }
  Part parts(int first, int count) const;  // those of ranks first .. first + count - 1, as far as there are such
  Part part(int rank) const { return parts(rank, 1); }
  Part mine() const { return part(rank_); }
  Part whole() const { return {0, words()}; }

  Index reserve(Index elements);       // more of the work buffer: where it begins
  void next_step() { ++step_; }        // of the algorithm; tasks carry it as their chunk
  int receive(int from, Index count);  // the recv_finish; messages of a pair are numbered in order
  void send(int to, Index offset, Index count, const std::vector<int>& after);  // from the work buffer
  int move(const std::vector<Move>& moves, const std::vector<int>& after);

  RankSchedule take();  // receives posted first, sends finished last

 private:
  const Collective& collective_;
  const int rank_;
  TaskList tasks_;
  std::map<int, int> sent_, received_;  // tags used so far, by peer
  std::vector<int> sends_;
  Index work_ = 0;
  Index inbox_ = 0;
  int step_ = 0;
};

// A copy of the vector, or of a stretch of it, in the work buffer. Every stage has one of its own: what one stage has
// sent may still be read when the next one receives.
class Image {
 public:
  Image(CollectiveTasks& tasks, Part held) : t(tasks), base_(tasks.reserve(held.count) - held.begin) {}

  Place at(Part part) const { return {Buffer::work, base_ + part.begin}; }
  void load(Part part, Place from, const std::vector<int>& after = {}) {
    add(t.move({{from, at(part), part.count}}, after));
  }
  void load_mine(const std::optional<Image>& from) {  // or else from the rank's input
    from ? load(t.mine(), from->at(t.mine()), from->ready_) : load(t.mine(), {Buffer::in});
  }
  void send(int to, Part part) { send(to, part, ready_); }
  void send(int to, Part part, const std::vector<int>& after) { t.send(to, base_ + part.begin, part.count, after); }
  void receive(int from, Part part);
  void receive_and_add(int from, Part part);
  void deliver(Part part) { t.move({{at(part), {Buffer::out}, part.count}}, ready_); }

  // Broadcasts keep a part only to send it on, and deliver it at once; the task that did both.
  int pass(Place from, Part part, bool keep, const std::vector<int>& after = {}) {
    return t.move({{from, at(part), keep ? part.count : 0}, {from, {Buffer::out, part.begin}, part.count}}, after);
  }
  int take(int from, Part part, bool keep) {
    const int arrived = t.receive(from, part.count);
    return pass(received(arrived), part, keep, {arrived});
  }

  CollectiveTasks& t;

 private:
  void add(int task) {
    if (task >= 0) ready_.push_back(task);
  }

  Index base_;
  std::vector<int> ready_;  // the tasks that filled it
};

// What emits one rank's tasks of each collective.
using CollectiveAlgorithm = void(CollectiveTasks&);
CollectiveAlgorithm broadcast_binary, broadcast_binomial, broadcast_ring, broadcast_butterfly, broadcast_pipelined,
    broadcast_double, scatter, gather, allgather, reduce_scatter, reduce, allreduce, scan, alltoall_direct,
    alltoall_pairwise, alltoall_bruck;

}  // namespace kallima
