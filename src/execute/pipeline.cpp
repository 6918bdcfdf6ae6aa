#include "execute/pipeline.hpp"

namespace kallima {

void Pipeline::add_slot() {
  Slot slot{.work = transport_.allocate(work_bytes_), .inbox = {}, .run = std::make_unique<Execution>(transport_)};
  slots_.push_back(std::move(slot));
  runs_.reserve(slots_.size());
}

std::size_t Pipeline::bytes() const {
  std::size_t sum = slots_.size() * work_bytes_;
  for (const Slot& slot : slots_) sum += slot.inbox.bytes;
  for (const BackendMemory& tile : tiles_) sum += tile.bytes;
  return sum;
}

void Pipeline::reserve(int slot, const Program& program) {
  BackendMemory& inbox = slots_[static_cast<std::size_t>(slot)].inbox;
  const std::size_t landing = program.bytes(Buffer::inbox), tile = program.tile_bytes();
  if (landing > inbox.bytes) {
    inbox = {};
    inbox = {backend_->allocate(landing), landing};
  }
  transport_.reserve(program.messages() * slots_.size());
  if (tiles_.empty() || tile > tiles_.back().bytes) tiles_.push_back({backend_->allocate(tile), tile});
}

void Pipeline::begin(int slot, const Program& program, const std::byte* in, std::byte* out, RunOptions options) {
  reserve(slot, program);
  const Slot& s = at(slot);
  options.number = slot;
  options.tags = tags_;
  // The schedule says which buffers it only reads, so that casting `in` to non-const never leads to a write.
  s.run->begin(program, {const_cast<std::byte*>(in), out, s.work->bytes().data(), s.inbox.at.get()}, options);
  runs_.push_back(s.run.get());
}

void Pipeline::finish(int slot) {
  while (!over(slot))
    if (!advance()) idle();
  std::erase(runs_, at(slot).run.get());
}

Execution* Pipeline::next_to_compute() const {
  for (Execution* run : runs_)
    if (run->can_feed()) return run;
  for (Execution* run : runs_)
    if (run->can_compute()) return run;
  return nullptr;
}

bool Pipeline::advance() {
  bool moved = false;
  for (Execution* run : runs_) moved = run->exchange() || moved;
  Execution* const next = moved ? nullptr : next_to_compute();
  if (!moved && next == nullptr) return false;
  for (Execution* run : runs_) run->stop_waiting();
  if (next != nullptr) next->compute({tiles_.back().at.get(), tiles_.back().bytes});
  return true;
}

void Pipeline::idle() {
  for (Execution* run : runs_)
    if (!run->over()) return run->idle();
}

}  // namespace kallima
