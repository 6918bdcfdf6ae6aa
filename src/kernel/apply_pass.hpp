#pragma once
// A compiled Action::apply, of any backend's elements: they are handed to the caller's function where they stand.

#include <algorithm>

#include "kernel/product_pass.hpp"

namespace kallima::kernel {

inline constexpr Index applied_at_once = 4096;  // elements

class ApplyPass final : public Kernel {
 public:
  ApplyPass(const Pass& pass, std::size_t depth, const Element& element)
      : pass_(pass), depth_(depth), bytes_(pass.sources[0].real ? element.real_bytes() : element.bytes) {}

  // The caller's function costs what it costs: messages are looked at after every few thousand elements.
  Ticket start(const KernelCall& call) const override {
    std::byte* const buffer = call.operands.buffers[at(pass_.sources[0].buffer)];
    const Index first = first_real(pass_.sources[0], call.at.first(depth_)) / unit(pass_.sources[0]);
    const Index lines = element_count(pass_.loops);
    for (Index line = 0; line < lines; ++line) {
      const Index offset = first + offset_of(pass_.sources[0], pass_.loops, depth_, line);
      for (Index e = 0; e < pass_.length; e += applied_at_once) {
        std::byte* const values = buffer + static_cast<std::size_t>(offset + e) * bytes_;
        (*call.operands.apply)(values, offset + e, std::min(applied_at_once, pass_.length - e));
        call.progress();
      }
    }
    return 0;
  }

 private:
  Pass pass_;
  std::size_t depth_;
  std::size_t bytes_;  // of what is counted
};

}  // namespace kallima::kernel
