#include "kernel/apply_pass.hpp"

#include <algorithm>

namespace kallima::kernel {
namespace {

constexpr Index applied_at_once = 4096;  // elements

}  // namespace

Index ApplyPass::offset_of(Index line, std::span<const Index> at) const {
  const Piece& piece = pass_.sources[0];
  Index offset = piece.offset;
  for (std::size_t d = 0; d < depth_; ++d) offset += at[d] * piece.strides[d];
  for (std::size_t loop = pass_.loops.size(); loop-- > 0;) {
    offset += line % pass_.loops[loop] * piece.strides[depth_ + loop];
    line /= pass_.loops[loop];
  }
  return offset;
}

// The caller's function costs what it costs: messages are looked at after every few thousand elements.
Ticket ApplyPass::start(const KernelCall& call) const {
  std::byte* const buffer = call.operands.buffers[static_cast<std::size_t>(pass_.sources[0].buffer)];
  Index lines = 1;
  for (const Index extent : pass_.loops) lines *= extent;
  for (Index line = 0; line < lines; ++line) {
    const Index offset = offset_of(line, call.at);
    for (Index e = 0; e < pass_.length; e += applied_at_once) {
      std::byte* const values = buffer + static_cast<std::size_t>(offset + e) * bytes_;
      (*call.operands.apply)(values, offset + e, std::min(applied_at_once, pass_.length - e));
      call.progress();
    }
  }
  return 0;
}

}  // namespace kallima::kernel
