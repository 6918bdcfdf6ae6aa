#pragma once
// Writing down one rank's schedule, task by task. Work and traffic of compute tasks are counted from their passes.

#include <algorithm>
#include <functional>
#include <span>

#include "kallima/schedule.hpp"

namespace kallima {

// Where elements are read from or written to: a buffer, or the block that a recv_finish task received.
struct Location {
  Buffer buffer = Buffer::in;
  Index offset = 0;
  int recv = -1;
  bool real = false;  // the offset is in reals
};

inline Location received(int finish, Index offset = 0) { return {.offset = offset, .recv = finish}; }

// Appends what copies `count` neighbours, as much at a time as a cache likes.
void append_copy(std::vector<Step>& steps, const Location& from, const Location& to, Index count);

class TaskList {
 public:
  TaskList(int rank, const BufferSizes& sizes) { schedule_ = {.rank = rank, .sizes = sizes}; }

  int add(Task task, const std::vector<int>& after = {});
  int finish(int start);  // of a message

  RankSchedule take() { return std::move(schedule_); }

 private:
  RankSchedule schedule_;
};

// The two ends of a message. `count` is of reals where the range, which may be empty, says it is; what is sent from a
// range may be but some of it.
Task send_task(int peer, int tag, int chunk, const Range& from);
Task send_task(int peer, int tag, int chunk, const Range& from, Index count);
Task receive_task(int peer, int tag, int chunk, Index count, const Range& landing);
Task finish_task(const Task& start, int number);

// Copies that stand at equal distances are one with a loop around it, and rows of such copies one with two.
std::vector<Step> folded(std::vector<Step> steps);

// Work and traffic are counted from the passes.
Task compute_task(std::string label, int chunk, std::vector<Step> steps);

inline void sort_unique(std::vector<int>& tasks) {
  std::ranges::sort(tasks);
  tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
}

// A part of a buffer that begins with this complex number, by the buffer that stands there.
struct Region {
  Buffer buffer = Buffer::in;
  Index base = 0;
};
using Regions = std::array<Region, buffers.size()>;
void relocate(Task& task, std::span<const Region> now);

// Gives the tasks that it waits for, finishes or reads from their new numbers.
void renumber(Task& task, const std::function<int(int)>& number);

// The same schedule in another order: `order` lists the old numbers of the tasks, each after all it depends on.
RankSchedule reordered(RankSchedule schedule, const std::vector<int>& order);

// The same schedule with every task behind those it waits for, lowest numbers first.
RankSchedule in_order(RankSchedule schedule);

// The same schedule with receives that wait for nothing posted before anything else.
RankSchedule receives_first(RankSchedule schedule);

}  // namespace kallima
