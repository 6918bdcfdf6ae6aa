#pragma once
// Several runs through one transport. Each has a slot: a work buffer that others may be given views of, landing room,
// and tags of its own. While any of them is waited for, all move on; computations that a message waits for come first,
// whichever run they belong to, because what is sent early can travel while the rest is computed.

#include <memory>
#include <vector>

#include "execute/executor.hpp"

namespace kallima {

class Pipeline {
 public:
  // For programs of this backend that need no more than `work` bytes to work in and use tags below `tags`, the same
  // number on every rank.
  Pipeline(Transport& transport, std::shared_ptr<const Backend> backend, std::size_t work, int tags)
      : transport_(transport), backend_(std::move(backend)), work_bytes_(work), tags_(tags) {}

  // Makes memory for one more run at once. Collective.
  void add_slot();
  int slots() const { return static_cast<int>(slots_.size()); }
  std::size_t bytes() const;  // held

  // Makes sure of the room that a program needs beside its work buffer, in a slot that is free.
  void reserve(int slot, const Program& program);

  // Begins a run in a slot that is free; `in` and `out` stay the caller's until release(). Sets `number` and `tags` of
  // the options.
  void begin(int slot, const Program& program, const std::byte* in, std::byte* out, RunOptions options);
  bool over(int slot) const { return at(slot).run->over(); }
  bool advance();         // moves messages on and does at most one computation; false if there was nothing to do
  void idle();            // after advance() had nothing to do
  void finish(int slot);  // advances until the slot's run is over, and makes the slot free

 private:
  struct BackendMemory {
    std::shared_ptr<std::byte> at;
    std::size_t bytes = 0;
  };
  struct Slot {
    std::unique_ptr<SharedMemory> work;
    BackendMemory inbox;
    std::unique_ptr<Execution> run;
  };

  const Slot& at(int slot) const { return slots_[static_cast<std::size_t>(slot)]; }
  Execution* next_to_compute() const;

  Transport& transport_;
  std::shared_ptr<const Backend> backend_;
  std::size_t work_bytes_;
  int tags_;
  std::vector<BackendMemory> tiles_ = {};  // scratch of one computation; the last is used, others may still be
  std::vector<Slot> slots_ = {};
  std::vector<Execution*> runs_ = {};  // under way, oldest first
};

}  // namespace kallima
