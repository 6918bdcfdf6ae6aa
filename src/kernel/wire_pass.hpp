#pragma once
// A compiled Action::encode or Action::decode, done in parts, with a look at the messages after each.

#include "kallima/backend.hpp"

namespace kallima::kernel {

template <class T>
class WirePass final : public Kernel {
 public:
  WirePass(const Pass& pass, std::size_t depth);  // throws Error where the room is too short for what is encoded
  Ticket start(const KernelCall& call) const override;

 private:
  template <class Visit>
  void each_part(const KernelCall& call, const Visit& visit) const;

  Pass pass_;
  std::size_t depth_;
  std::size_t reals_;
};

}  // namespace kallima::kernel
