// Messages that travel in fewer bytes: encoded when they are posted, decoded to where they land when they have come, so
// that nothing else of a run knows of it. Both go in parts, with a look at the other messages between them, and count
// as copying.

#include <algorithm>

#include "execute/executor.hpp"
#include "kernel/wire_codec.hpp"

namespace kallima {
namespace {

constexpr std::size_t part_reals = 128 * static_cast<std::size_t>(wire_block);  // a few microseconds of work

}  // namespace

template <class T>
std::span<T> Execution<T>::reals(const Range& range) const {
  T* const buffer = reinterpret_cast<T*>(workspace_.buffers[static_cast<std::size_t>(range.buffer)]);
  if (range.count == 0) return {};
  return {buffer + (range.real ? 1 : 2) * range.offset, static_cast<std::size_t>(reals_in(range))};
}

// Ranks that are given views need no room for what they receive.
template <class T>
std::span<std::byte> Execution<T>::encoded(int start) const {
  const bool sends = task(start).kind == TaskKind::send_start;
  const std::span<std::byte> room = sends ? workspace_.sending : workspace_.receiving;
  const auto [offset, bytes] = room_.place(start);
  return room.empty() ? room : room.subspan(offset, bytes);
}

template <class T>
void Execution<T>::encode(int id) {
  if (task(id).kind != TaskKind::send_start) return;
  const std::span<const T> all = reals(task(id).range);
  const std::span<std::byte> to = encoded(id);
  const double begin = clock();
  looks_.start(begin);
  kernel::WireErrors errors;
  for (std::size_t at = 0; at < all.size(); at += part_reals) {
    kernel::encode(options_.wire, all.subspan(at, std::min(part_reals, all.size() - at)),
                   to.data() + kernel::encoded_bytes(options_.wire, at), errors);
    progress_();
  }
  note_copy(id, "encode", begin);
  if (options_.tally != nullptr) options_.tally->errors.add(errors);
}

template <class T>
void Execution<T>::decode(int id) {
  if (task(id).kind != TaskKind::recv_finish) return;
  const int start = task(id).start;
  const std::span<T> all = reals(task(start).range);
  const std::byte* const from = transport_.data(request_of(start));
  const double begin = clock();
  looks_.start(begin);
  for (std::size_t at = 0; at < all.size(); at += part_reals) {
    kernel::decode(options_.wire, from + kernel::encoded_bytes(options_.wire, at),
                   all.subspan(at, std::min(part_reals, all.size() - at)));
    progress_();
  }
  memory_.received[static_cast<std::size_t>(id)] = reinterpret_cast<const std::complex<T>*>(all.data());
  note_copy(id, "decode", begin);
}

template <class T>
void Execution<T>::note_copy(int id, const char* what, double begin) {
  Event* const event = note(id, begin, clock());
  if (event == nullptr) return;
  event->kind = TaskKind::copy;
  event->label = what;
  event->peer = event->start = event->tag = -1;
  if (transport_.tuning().progress == ProgressBy::polling) looks_.write(*event);
}

template void Execution<float>::encode(int);
template void Execution<double>::encode(int);
template void Execution<long double>::encode(int);
template void Execution<float>::decode(int);
template void Execution<double>::decode(int);
template void Execution<long double>::decode(int);
template std::span<std::byte> Execution<float>::encoded(int) const;
template std::span<std::byte> Execution<double>::encoded(int) const;
template std::span<std::byte> Execution<long double>::encoded(int) const;

}  // namespace kallima
