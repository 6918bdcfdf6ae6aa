#pragma once
// A compiled Action::apply: the caller's function gets the lines where they stand.

#include "kallima/backend.hpp"

namespace kallima::kernel {

class ApplyPass final : public Kernel {
 public:
  ApplyPass(const Pass& pass, std::size_t depth, const Element& element)
      : pass_(pass), depth_(depth), bytes_(pass.sources[0].real ? element.real_bytes() : element.bytes) {}
  Ticket start(const KernelCall& call) const override;

 private:
  Index offset_of(Index line, std::span<const Index> at) const;

  Pass pass_;
  std::size_t depth_;
  std::size_t bytes_;  // of what is counted
};

}  // namespace kallima::kernel
