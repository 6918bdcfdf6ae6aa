#include "kernel/wire_pass.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "kernel/wire_codec.hpp"

namespace kallima::kernel {
namespace {

constexpr std::size_t part_reals = 128 * static_cast<std::size_t>(wire_block);  // a few microseconds of work

// Where a piece begins, `at` being the indices of the enclosing repeats.
template <class T>
std::size_t first_real(const Piece& piece, std::span<const Index> at) {
  Index offset = piece.offset;
  for (std::size_t d = 0; d < at.size(); ++d) offset += at[d] * piece.strides[d];
  return static_cast<std::size_t>(offset) * (piece.real ? 1 : 2);
}

}  // namespace

template <class T>
WirePass<T>::WirePass(const Pass& pass, std::size_t depth)
    : pass_(pass),
      depth_(depth),
      reals_(static_cast<std::size_t>(pass.length) *
             ((pass.action == Action::encode ? pass.sources : pass.targets)[0].real ? 1 : 2)) {
  const Piece& encoded = (pass.action == Action::encode ? pass.targets : pass.sources)[0];
  const std::size_t room = static_cast<std::size_t>(encoded.count) * sizeof(T);
  require(encoded_bytes(pass.wire, reals_) <= room, "{} reals do not fit {} bytes in this wire format (they take {})",
          reals_, room, encoded_bytes(pass.wire, reals_));
}

template <class T>
template <class Visit>
void WirePass<T>::each_part(const KernelCall& call, const Visit& visit) const {
  for (std::size_t begin = 0; begin < reals_; begin += part_reals) {
    visit(begin, std::min(part_reals, reals_ - begin), encoded_bytes(pass_.wire, begin));
    call.progress();
  }
}

template <class T>
Ticket WirePass<T>::start(const KernelCall& call) const {
  const std::span<const Index> at = call.at.first(depth_);
  const T* const from =
      reinterpret_cast<const T*>(call.operands.at(pass_.sources[0])) + first_real<T>(pass_.sources[0], at);
  T* const to = reinterpret_cast<T*>(call.operands.buffers[static_cast<std::size_t>(pass_.targets[0].buffer)]) +
                first_real<T>(pass_.targets[0], at);
  WireErrors errors;
  each_part(call, [&](std::size_t begin, std::size_t count, std::size_t byte) {
    if (pass_.action == Action::encode)
      encode(pass_.wire, std::span(from + begin, count), reinterpret_cast<std::byte*>(to) + byte, errors);
    else
      decode(pass_.wire, reinterpret_cast<const std::byte*>(from) + byte, std::span(to + begin, count));
  });
  if (call.operands.errors != nullptr) call.operands.errors->add(errors);
  return 0;
}

template class WirePass<float>;
template class WirePass<double>;
template class WirePass<long double>;

}  // namespace kallima::kernel
