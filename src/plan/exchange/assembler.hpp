#pragma once
// From tasks that work in allocations to one rank's schedule. Whoever plans lists tasks in the order in which they
// would run one after the other, and says what they read and write in allocations of any number. Where allocations
// stand follows from when they are used: memory is used again when its content is dead, `out` serves until the result
// is written there. Who waits for whom follows from what tasks touch.

#include "kallima/plan.hpp"
#include "kallima/schedule.hpp"
#include "plan/exchange/accesses.hpp"
#include "plan/exchange/packing.hpp"

namespace kallima {

// One of the caller's arrays.
struct CallersArray {
  Index size = 0;  // elements, or reals
  Data data = Data::complex_;
  Index padding = 0;  // of `out`: elements that nobody writes
};

class Assembler {
 public:
  Assembler(int rank, const PlanOptions& options, const CallersArray& in, const CallersArray& out);

  // Memory for so much. What others read where it stands must be in the work buffer.
  enum class Use { own, seen };
  Buffer allocate(Index count, Data data, Use use);
  Buffer allocate_in_out(Index count, Data data);  // at its begin, where the result will be
  // It can wait for others to be done with their memory.
  void prefer_used(Buffer memory) { allocation_of(memory).fresh = false; }
  void keep(Buffer memory);  // it is not given up before the tasks that have been listed so far

  // Tasks of one stage do not wait for each other, unless one reads what another received.
  void set_stage(int stage) { stage_ = stage; }

  int compute(std::string label, int chunk, std::vector<Step> steps);
  int send(int peer, int tag, int chunk, const Range& from, Index count);
  int receive(int peer, int tag, int chunk, Index count, const Range& landing);  // `landing` is empty for a view
  int arrive(int receive);

  bool is_in_place() const { return placement_ == Placement::in_place; }
  bool is_one_array() const;       // and it stays what it is
  Index words() const;             // of the larger of the two arrays
  Index spare(Index taken) const;  // what the work buffer may have besides `taken` words
  Index workspace();               // that it takes; nothing can be listed after that
  RankSchedule take();

 private:
  struct Allocation {
    Index words = 0;  // whole cache lines
    Index used = 0;   // of these, in reals
    Use use = Use::own;
    bool placed = false;  // by whoever asked for it
    bool fresh = true;    // rather in memory that nobody has used yet
    int first = -1;       // tasks
    int last = -1;
    Buffer buffer = Buffer::work;
    Index base = 0;
    std::vector<int> overlapping = {};  // allocations that stand in the same memory, at other times
    Accesses accesses = {};
  };

  struct Touched {
    Allocation* allocation;
    Footprint region;
    bool writes;
  };

  Allocation& allocation_of(Buffer b) { return allocations_[at(b)]; }
  const Allocation& allocation_of(Buffer b) const { return allocations_[at(b)]; }
  int add(Task task);
  void touch(Buffer buffer, int task);
  std::vector<int> place_allocations();  // all that are used
  bool fits_out(const Allocation& allocation) const;
  std::vector<MemoryUse> callers_uses() const;
  MemoryMap memory_map(bool by_stretches) const;
  void note_overlaps(int number);
  std::vector<Touched> touched_by(const Task& task);
  void find_dependencies();
  void wait_for(int task, const Allocation& touched, const Footprint& region, bool writes, bool shares_memory);
  void sort_awaited(int task);
  void drop_implied(int task);
  std::vector<int> order() const;

  RankSchedule schedule_;
  std::vector<int> stages_;   // by task
  std::vector<int> finish_;   // by task: of a message's start
  std::vector<int> seen_;     // by task: the last one that is known to wait for it, or -2 less it where that is implied
  std::vector<int> awaited_;  // by the task that is looked at
  std::vector<std::vector<int>> waiting_;  // by task: computations that wait for it
  std::vector<Allocation> allocations_;    // the buffers, then those that were asked for
  Placement placement_;
  int stage_ = 0;
};

}  // namespace kallima
