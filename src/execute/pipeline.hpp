#pragma once
// Several runs through one transport. Each has a slot: a work buffer that others may be given views of, landing room,
// and tags of its own. While any of them is waited for, all move on; computations that a message waits for come first,
// whichever run they belong to, because what is sent early can travel while the rest is computed.

#include <algorithm>
#include <memory>
#include <vector>

#include "base/check.hpp"
#include "execute/executor.hpp"

namespace kallima {

class Pipeline {
 public:
  // For programs of this backend that need no more than `work` bytes to work in and use tags below `tags`, the same
  // number on every rank.
  Pipeline(Transport& transport, std::shared_ptr<const Backend> backend, std::size_t work, int tags)
      : transport_(transport), backend_(std::move(backend)), work_bytes_(work), tags_(tags) {}

  // Makes memory for one more run at once. Collective.
  void add_slot() {
    Lane slot{.work = transport_.allocate(work_bytes_), .inbox = {}, .run = std::make_unique<Execution>(transport_)};
    slots_.push_back(std::move(slot));
    runs_.reserve(slots_.size());
  }

  int slots() const { return static_cast<int>(slots_.size()); }
  std::size_t bytes() const {  // held
    std::size_t sum = slots_.size() * work_bytes_;
    for (const Lane& slot : slots_) sum += slot.inbox.bytes;
    for (const BackendMemory& tile : tiles_) sum += tile.bytes;
    return sum;
  }

  // Makes sure of the room that a program needs beside its work buffer, in a slot that is free.
  void reserve(int slot, const Program& program) {
    BackendMemory& inbox = slots_[at(slot)].inbox;
    const std::size_t landing = program.bytes(Buffer::inbox), tile = program.tile_bytes();
    if (landing > inbox.bytes) {
      inbox = {};
      inbox = {backend_->allocate(landing), landing};
    }
    transport_.reserve(program.messages().size() * slots_.size());
    if (tiles_.empty() || tile > tiles_.back().bytes) tiles_.push_back({backend_->allocate(tile), tile});
  }

  // Begins a run in a slot that is free; `in` and `out` stay the caller's until release(). Sets `number` and `tags` of
  // the options.
  void begin(int slot, const Program& program, const std::byte* in, std::byte* out, RunOptions options) {
    reserve(slot, program);
    const Lane& s = lane(slot);
    options.number = slot;
    options.tags = tags_;
    // The schedule says which buffers it only reads, so that casting `in` to non-const never leads to a write.
    s.run->begin(program, {const_cast<std::byte*>(in), out, s.work->bytes().data(), s.inbox.at.get(), options.kept},
                 options);
    runs_.push_back(s.run.get());
  }

  bool over(int slot) const { return lane(slot).run->over(); }
  // Moves messages on and does at most one computation; false if there was nothing to do. What a backend or the
  // caller's function throws here leaves others waiting.
  bool advance() {
    try {
      return moves_or_computes();
    } catch (...) {
      transport_.give_up();
      throw;
    }
  }

  void idle() {  // after advance() had nothing to do
    for (Execution* run : runs_)
      if (!run->over()) return run->idle();
  }

  void finish(int slot) {  // advances until the slot's run is over, and makes the slot free
    while (!over(slot))
      if (!advance()) idle();
    std::erase(runs_, lane(slot).run.get());
  }

 private:
  struct BackendMemory {
    std::shared_ptr<std::byte> at;
    std::size_t bytes = 0;
  };
  struct Lane {
    std::unique_ptr<SharedMemory> work;
    BackendMemory inbox;
    std::unique_ptr<Execution> run;
  };

  bool moves_or_computes() {
    bool moved = false;
    for (Execution* run : runs_) moved = run->exchange() || moved;
    Execution* const next = moved ? nullptr : next_to_compute();
    if (!moved && next == nullptr) return false;
    for (Execution* run : runs_) run->stop_waiting();
    if (next != nullptr) next->compute({tiles_.back().at.get(), tiles_.back().bytes});
    return true;
  }

  const Lane& lane(int slot) const { return slots_[at(slot)]; }
  Execution* next_to_compute() const {
    for (Execution* run : runs_)
      if (run->can_feed()) return run;
    for (Execution* run : runs_)
      if (run->can_compute()) return run;
    return nullptr;
  }

  Transport& transport_;
  std::shared_ptr<const Backend> backend_;
  std::size_t work_bytes_;
  int tags_;
  std::vector<BackendMemory> tiles_ = {};  // scratch of one computation; the last is used, others may still be
  std::vector<Lane> slots_ = {};
  std::vector<Execution*> runs_ = {};  // under way, oldest first
};

// A rank that fails alone would leave the others waiting for its messages.
auto guarded(Transport& transport, const auto& action) {
  try {
    return action();
  } catch (...) {
    if (!transport.survives_exceptions()) transport.abort(outcome_of([] { throw; }).text);
    throw;
  }
}

// The largest of a number that every rank has, such as how many tags its programs use.
template <class Number>
Number largest_of_all(Transport& transport, Number mine) {  // collective
  const std::vector<Number> all = gathered(transport, mine);
  return *std::max_element(all.begin(), all.end());
}

// Throws on all ranks unless what each of these sends is what others receive. Collective.
inline void agree_on_messages(Transport& transport, std::initializer_list<const Program*> programs) {
  std::uint64_t mine = 0, sum = 0;
  for (const Program* program : programs) mine = 3 * mine + program->balance(transport.rank());
  for (const std::uint64_t each : gathered(transport, mine)) sum += each;
  require(sum == 0,
          "the messages that some ranks send are not those that others receive (their schedules are parts of different "
          "plans): give all ranks parts of one");
}

}  // namespace kallima
