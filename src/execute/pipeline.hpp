#pragma once
// Several runs through one transport. Each has a slot: a work buffer that others may be given views of, landing room,
// and tags of its own. While any of them is waited for, all move on; computations that a message waits for come first,
// whichever run they belong to, because what is sent early can travel while the rest is computed.

#include <optional>
#include <vector>

#include "execute/executor.hpp"
#include "kallima/memory.hpp"

namespace kallima {

template <class T>
class Pipeline {
 public:
  using Complex = std::complex<T>;

  struct Room {  // elements
    Index work = 0;
    Index inbox = 0;
    Index tile = 0;
    std::size_t sending = 0;  // bytes of encoded messages
    std::size_t receiving = 0;
  };

  // Tags below `tags` are those a schedule uses, the same number on every rank.
  Pipeline(Transport& transport, const Room& room, int tags, const Wire& wire = {})
      : transport_(transport), room_(room), tags_(tags), wire_(wire) {
    tile_ = Array<Complex>(room.tile);
  }

  // Makes memory for one more run at once. Collective.
  void add_slot();
  int slots() const { return static_cast<int>(slots_.size()); }
  std::size_t bytes() const;  // held

  // Begins a run in a slot that is free; `in` and `out` stay the caller's until release(). Sets `number`, `tags` and
  // `wire` of the options.
  void begin(int slot, const Program<T>& program, const Complex* in, Complex* out, RunOptions<T> options);
  bool over(int slot) const { return at(slot).run->over(); }
  bool advance();  // moves messages on and does at most one computation; false if there was nothing to do
  void rest();     // after advance() had nothing to do
  void release(int slot);

 private:
  struct Slot {
    std::unique_ptr<SharedMemory> work;
    Array<Complex> inbox;
    std::unique_ptr<SharedMemory> sending;  // others may be given views of it, too
    Array<std::byte> receiving;
    std::unique_ptr<Execution<T>> run;
  };

  void something_to_do();
  const Slot& at(int slot) const { return slots_[static_cast<std::size_t>(slot)]; }
  Execution<T>* next_to_compute() const;

  Transport& transport_;
  Room room_;
  int tags_;
  Wire wire_;
  Array<Complex> tile_;  // scratch of one computation
  std::vector<Slot> slots_;
  std::vector<Execution<T>*> runs_;  // under way, oldest first
};

}  // namespace kallima
