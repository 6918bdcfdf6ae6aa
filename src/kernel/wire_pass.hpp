#pragma once
// A compiled Action::encode or Action::decode, done in parts, with a look at the messages after each.

#include <algorithm>

#include "base/check.hpp"
#include "kernel/line_pass.hpp"
#include "kernel/wire_codec.hpp"

namespace kallima::kernel {

inline constexpr std::size_t part_reals = 128 * static_cast<std::size_t>(wire_block);  // a few microseconds of work

template <class T>
class WirePass final : public Kernel {
 public:
  WirePass(const Pass& pass, std::size_t depth) : pass_(pass), depth_(depth) {
    const bool encodes = pass.action == Action::encode;
    const Piece& plain = (encodes ? pass.sources : pass.targets)[0];
    const Piece& encoded = (encodes ? pass.targets : pass.sources)[0];
    reals_ = static_cast<std::size_t>(pass.length * unit(plain));
    const std::size_t room = static_cast<std::size_t>(encoded.count) * sizeof(T);
    require(encoded_bytes(pass.wire, reals_) <= room, "{} reals do not fit {} bytes in this wire format (they take {})",
            reals_, room, encoded_bytes(pass.wire, reals_));
  }

  Ticket start(const KernelCall& call) const override {
    const auto first = [&](const Piece& piece) { return first_real(piece, call.at.first(depth_)); };
    const Piece& source = pass_.sources[0];
    const Piece& target = pass_.targets[0];
    const T* const from = reinterpret_cast<const T*>(call.operands.at(source)) + first(source);
    T* const to = reinterpret_cast<T*>(call.operands.buffers[static_cast<std::size_t>(target.buffer)]) + first(target);
    WireErrors errors;
    for (std::size_t begin = 0; begin < reals_; begin += part_reals) {
      const std::size_t count = std::min(part_reals, reals_ - begin), byte = encoded_bytes(pass_.wire, begin);
      if (pass_.action == Action::encode)
        encode(pass_.wire, std::span(from + begin, count), reinterpret_cast<std::byte*>(to) + byte, errors);
      else
        decode(pass_.wire, reinterpret_cast<const std::byte*>(from) + byte, std::span(to + begin, count));
      call.progress();
    }
    if (call.operands.errors != nullptr) call.operands.errors->add(errors);
    return 0;
  }

 private:
  Pass pass_;
  std::size_t depth_;
  std::size_t reals_;
};

}  // namespace kallima::kernel
