#pragma once
// For every element of one rank's buffers: who wrote it last, and who has read it since. Going through the tasks in
// order of their numbers and demanding that each access is ordered after the last writer, and each write also after
// the readers, proves all conflicting pairs ordered, because being ordered is transitive. Sets of readers are shared
// between elements (there are few different ones) and keep only those that no other reader of the set comes after.
// Where anything on the rank is real, all of this is about reals, and a complex number is two of them.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "schedule/reachability.hpp"

namespace kallima::checks {

// A stretch [begin, end) of a buffer, in units.
struct BufferSpan {
  Buffer buffer;
  Index begin;
  Index end;
};

// Who touches it: an access starts with task `from` and is over when task `until` is done.
struct Access {
  int from;
  int until;
  int recv = -1;  // reading what this recv_finish received
};

class MemoryState {
 public:
  MemoryState(const RankSchedule& rank, Aliasing aliasing);

  void read(const BufferSpan& run, const Access& access);
  void write(const BufferSpan& run, const Access& access);
  void check_complete() const;

  // in and out are one where they alias.
  std::size_t slot(Buffer b) const;
  std::size_t slot_size(std::size_t slot) const { return slots_[slot].writer.size(); }
  Index units_of(bool real) const { return real || !reals_ ? 1 : 2; }  // that an element is long
  std::string text(Buffer buffer, Index at) const;                     // out[7], or real 7 of out
  bool before(int earlier, int later) const { return order_.before(earlier, later); }

 private:
  struct Slot {
    std::vector<std::int32_t> writer;   // a task, or one of the two below
    std::vector<std::int32_t> readers;  // a number in sets_
  };
  static constexpr std::int32_t initial = -1;
  static constexpr std::int32_t unwritten = -2;

  Index size_of(Buffer b) const;
  // Calls visit(begin, end, writer, readers) for the parts of a run in which these are the same.
  template <class F>
  void for_each_state(const BufferSpan& run, const F& visit);
  std::int32_t with_reader(std::int32_t set, int reader);
  std::int32_t grown(std::int32_t set, int reader);
  bool lands(std::int32_t task) const;
  void check_read(const BufferSpan& run, Index at, std::int32_t writer, const Access& access) const;
  void check_write(const BufferSpan& run, Index at, std::int32_t writer, std::int32_t readers,
                   const Access& access) const;

  const RankSchedule& rank_;
  Aliasing aliasing_;
  bool reals_;
  Reachability order_;
  std::array<Slot, 4> slots_;
  std::vector<std::vector<int>> sets_{{}};
  std::map<std::pair<std::int32_t, int>, std::int32_t> grown_;
  std::pair<std::int32_t, int> last_asked_{-1, -1};  // elements one after the other mostly ask the same
  std::int32_t last_grown_ = 0;
};

}  // namespace kallima::checks
