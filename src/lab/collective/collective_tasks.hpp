#pragma once
// Writing down one rank's tasks of a collective. What is sent stands in the work buffer, from where others may read it;
// what arrives is read through its recv_finish and copied to where it is needed, which costs a model nothing. Things of
// no elements are not done at all and have the number -1, so that algorithms need not think of empty parts.

#include <map>

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
};

struct Sum {
  Place a;
  Place b;
  Place to;
  Index count = 0;
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

  Index room(Index elements);          // more of the work buffer: where it begins
  void next_step() { ++step_; }        // of the algorithm; tasks carry it as their chunk
  int receive(int from, Index count);  // the recv_finish; messages of a pair are numbered in order
  void send(int to, Index offset, Index count, const std::vector<int>& after);  // from the work buffer
  int copy(const std::vector<Move>& moves, const std::vector<int>& after);
  int sum(const std::vector<Sum>& sums, const std::vector<int>& after);

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

}  // namespace kallima
