#pragma once
// One rank's tasks of a collective, listed as what it sends, receives and moves. What is sent stands in the work
// buffer, from where others may read it; what arrives is copied to where it is needed, which costs a model nothing. Who
// waits for whom follows from what is read and written. Things of no elements are not done at all, so that algorithms
// need not think of empty parts.

#include <map>
#include <optional>
#include <set>

#include "kallima/collective.hpp"
#include "plan/exchange/tasks.hpp"

namespace kallima {

// A stretch of the vector.
struct Part {
  Index begin = 0;
  Index count = 0;
};

struct Move {
  Location from;
  Location to;
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
  Part parts(int first, int count) const;  // those of ranks first .. first + count - 1, as far as there are such
  Part part(int rank) const { return parts(rank, 1); }
  Part mine() const { return part(rank_); }
  Part whole() const { return {0, words()}; }

  Location reserve(Index elements);  // more of the work buffer
  void next_step() { ++step_; }      // of the algorithm; tasks carry it as their chunk
  Location receive(int from, Index count);
  void send(int to, const Location& from, Index count);  // from the work buffer
  void move(const std::vector<Move>& moves);             // all in one task

  RankSchedule take();  // receives posted first, sends finished last

 private:
  void wait_for(const Location& read, Index count, std::set<int>& after) const;
  void written(const Location& to, Index count, int task);

  const Collective& collective_;
  const int rank_;
  TaskList tasks_;
  std::map<int, int> sent_, received_;              // tags used so far, by peer
  std::map<Buffer, std::map<Index, int>> writers_;  // by the first element that a task wrote, up to the next
  std::vector<int> sends_;
  Index work_ = 0;
  Index inbox_ = 0;
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
