#include "execute/wire_room.hpp"

#include "kernel/wire_codec.hpp"

namespace kallima {
namespace {

constexpr std::size_t alignment = 64;

}  // namespace

WireRoom::WireRoom(const RankSchedule& schedule, const Wire& wire, std::size_t real_bytes)
    : element_bytes_(2 * real_bytes) {
  if (wire.format == Wire::Format::same) return;
  places_.resize(schedule.tasks.size());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Task& task = schedule.tasks[i];
    if (task.kind != TaskKind::send_start && task.kind != TaskKind::recv_start) continue;
    std::size_t& end = task.kind == TaskKind::send_start ? sending_ : receiving_;
    places_[i] = {end, kernel::encoded_bytes(wire, static_cast<std::size_t>(reals_in(task.range)))};
    end += (places_[i].bytes + alignment - 1) / alignment * alignment;
  }
}

Index WireRoom::elements_sent(int start) const {
  return static_cast<Index>((place(start).bytes + element_bytes_ - 1) / element_bytes_);
}

}  // namespace kallima
