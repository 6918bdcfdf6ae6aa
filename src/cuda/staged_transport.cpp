#include "cuda/staged_transport.cuh"

#include <algorithm>

namespace kallima::cuda {
namespace {

constexpr std::size_t page_bytes = 4096;

// Tags are used again by the pieces of a long block: both ends post them in order.
int part_tag(int tag, std::size_t part) {
  constexpr auto most = static_cast<int>(StagedTransport::most_parts);
  return tag * most + static_cast<int>(part) % most;
}

}  // namespace

StagedTransport::StagedTransport(std::unique_ptr<Transport> inner, int device)
    : inner_(std::move(inner)), device_(device), straight_(inner_->device_blocks() == DeviceBlocks::by_messages) {
  check(cudaSetDevice(device_), "choosing a device");
  check(cudaStreamCreateWithFlags(&down_, cudaStreamNonBlocking), "making a stream");
  check(cudaStreamCreateWithFlags(&up_, cudaStreamNonBlocking), "making a stream");
  if (!straight_ && size() > 1) open_slots();
}

// Where shared memory is short all ranks do without.
void StagedTransport::open_slots() {
  const std::vector<int> nodes = nodes_of(*inner_);
  if (std::set<int>(nodes.begin(), nodes.end()).size() == nodes.size()) return;
  try {
    slots_ = inner_->allocate(slot_count * slot_bytes);
  } catch (const Error&) {
    return;
  }
  for (int slot = static_cast<int>(slot_count); slot-- > 0;) {
    free_slots_.push_back(slot);
    make_fast(slots_->bytes().data() + at(slot) * slot_bytes);
  }
}

// Memory that cannot be registered is copied all the same, only slower.
void StagedTransport::make_fast(const std::byte* slot) {
  if (!fast_.insert(slot).second) return;
  if (cudaHostRegister(const_cast<std::byte*>(slot), slot_bytes, cudaHostRegisterDefault) == cudaSuccess) return;
  cudaGetLastError();
  fast_.erase(slot);
}

// All that it will ever have, so that it never waits for another message; none where they are too few.
void StagedTransport::take_slots(Staged& staged) {
  const std::size_t wanted = std::min(staged.parts.size(), slots_of_message);
  if (wanted > free_slots_.size()) return;
  staged.slots.assign(free_slots_.end() - static_cast<std::ptrdiff_t>(wanted), free_slots_.end());
  free_slots_.resize(free_slots_.size() - wanted);
}

StagedTransport::~StagedTransport() {
  cudaSetDevice(device_);
  for (const cudaStream_t stream : {down_, up_}) cudaStreamSynchronize(stream);
  for (const cudaEvent_t event : events_) cudaEventDestroy(event);
  for (const std::byte* const slot : fast_) cudaHostUnregister(const_cast<std::byte*>(slot));
  for (const cudaStream_t stream : {down_, up_}) cudaStreamDestroy(stream);
}

// Pieces large enough for the bus to be fast, and not more of them than there are tags for.
std::size_t StagedTransport::part_bytes(std::size_t block) {
  constexpr std::size_t usual = std::size_t{2} << 20, alignment = 256;
  const std::size_t least = (block + most_parts - 1) / most_parts;
  return std::max(usual, (least + alignment - 1) / alignment * alignment);
}

StagedTransport::Pinned StagedTransport::pinned(std::size_t bytes) {
  const auto found = spare_.lower_bound(bytes);
  if (found != spare_.end() && found->first <= 2 * bytes) {
    Pinned memory = std::move(found->second);
    spare_.erase(found);
    return memory;
  }
  void* at = nullptr;
  check(cudaHostAlloc(&at, std::max<std::size_t>(bytes, 1), cudaHostAllocDefault), "pinning memory for messages");
  return {static_cast<std::byte*>(at), [](std::byte* p) { cudaFreeHost(p); }};
}

Request StagedTransport::add(bool is_send, int peer, int tag, const std::byte* device, std::size_t bytes) {
  check(cudaSetDevice(device_), "choosing a device");
  Staged staged{.is_send = is_send, .peer = peer, .tag = tag, .device = const_cast<std::byte*>(device), .bytes = bytes};
  const bool by_slots = has_slots(peer);
  const std::size_t each = by_slots ? slot_bytes : part_bytes(bytes);
  for (std::size_t begin = 0; begin == 0 || begin < bytes; begin += each)
    staged.parts.push_back({.begin = begin, .bytes = std::min(each, bytes - begin)});
  if (by_slots && is_send) take_slots(staged);
  if (!by_slots || (is_send && staged.slots.empty())) staged.pinned = pinned(bytes);
  const Request request = staged_.add(std::move(staged));
  under_way_.push_back(request);
  return request;
}

Request StagedTransport::post_send(int peer, int tag, std::span<const std::byte> block) {
  if (straight_) return inner_->post_send(peer, tag, block);
  const Request request = add(true, peer, tag, block.data(), block.size());
  Staged& staged = staged_.at(request);
  if (staged.pinned)
    for (Part& part : staged.parts) copy(part, staged.pinned.get() + part.begin, staged.device + part.begin, down_);
  else
    move_on(staged);
  return request;
}

Request StagedTransport::post_recv(int peer, int tag, std::span<std::byte> landing) {
  if (straight_) return inner_->post_recv(peer, tag, landing);
  const Request request = add(false, peer, tag, landing.data(), landing.size());
  Staged& staged = staged_.at(request);
  for (std::size_t i = 0; i < staged.parts.size(); ++i) {
    Part& part = staged.parts[i];
    const std::span<std::byte> room =
        staged.pinned ? std::span(staged.pinned.get() + part.begin, part.bytes) : std::span<std::byte>{};
    part.request = inner_->post_recv(peer, part_tag(tag, i), room);
  }
  return request;
}

void StagedTransport::copy(Part& part, std::byte* to, const std::byte* from, cudaStream_t stream) {
  if (events_.empty()) {
    events_.emplace_back();
    check(cudaEventCreateWithFlags(&events_.back(), cudaEventDisableTiming), "making an event");
  }
  part.copied = events_.back();
  events_.pop_back();
  if (part.bytes > 0) check(cudaMemcpyAsync(to, from, part.bytes, cudaMemcpyDefault, stream), "copying a message");
  check(cudaEventRecord(part.copied, stream), "recording an event");
}

bool StagedTransport::is_copied(Part& part) {
  const cudaError_t code = cudaEventQuery(part.copied);
  if (code == cudaErrorNotReady) return false;
  check(code, "copying a message");
  events_.push_back(part.copied);
  part.copied = nullptr;
  return true;
}

// Pieces go in order: where one is not there yet, those behind it are not, either.
void StagedTransport::move_send(Staged& staged) {
  const auto place = [&](const Part& part) {
    return staged.pinned ? staged.pinned.get() + part.begin : slots_->bytes().data() + at(part.slot) * slot_bytes;
  };
  for (Part& part : staged.parts) {
    if (staged.slots.empty()) break;
    if (part.slot >= 0) continue;
    part.slot = staged.slots.back();
    staged.slots.pop_back();
    copy(part, place(part), staged.device + part.begin, down_);
  }
  for (std::size_t i = 0; i < staged.parts.size(); ++i) {
    Part& part = staged.parts[i];
    if (part.done) continue;
    if (part.copied != nullptr) {
      if (!is_copied(part)) return;
      part.request = inner_->post_send(staged.peer, part_tag(staged.tag, i), {place(part), part.bytes});
    }
    if (part.request < 0) return;  // it has no slot yet
    if (!inner_->test(part.request)) continue;
    inner_->release(part.request);
    part.done = true;
    if (!staged.pinned) staged.slots.push_back(part.slot);
  }
}

void StagedTransport::move_receive(Staged& staged) {
  for (Part& part : staged.parts) {
    if (part.done) continue;
    if (part.copied == nullptr && inner_->test(part.request)) {
      const std::byte* const from = inner_->data(part.request);
      if (!staged.pinned && part.bytes > 0 && reinterpret_cast<std::uintptr_t>(from) % page_bytes == 0) make_fast(from);
      copy(part, staged.device + part.begin, from, up_);
    }
    if (part.copied != nullptr && is_copied(part)) {
      inner_->release(part.request);
      part.done = true;
    }
  }
}

void StagedTransport::move_on(Staged& staged) {
  staged.is_send ? move_send(staged) : move_receive(staged);
  staged.done = std::ranges::all_of(staged.parts, &Part::done);
}

void StagedTransport::progress() {
  inner_->progress();
  std::erase_if(under_way_, [&](Request request) {
    move_on(staged_.at(request));
    return staged_.at(request).done;
  });
}

bool StagedTransport::test(Request request) {
  if (straight_) return inner_->test(request);
  if (!staged_.at(request).done) progress();
  return staged_.at(request).done;
}

const std::byte* StagedTransport::data(Request received) const {
  if (straight_) return inner_->data(received);
  return staged_.at(received).device;
}

void StagedTransport::release(Request request) {
  if (straight_) return inner_->release(request);
  Staged& staged = staged_.at(request);
  require(staged.done, "request {} is released before it is over", request);
  if (staged.pinned) spare_.emplace(staged.bytes, std::move(staged.pinned));
  free_slots_.insert(free_slots_.end(), staged.slots.begin(), staged.slots.end());
  staged_.remove(request);
}

// Nobody rings when a copy is done.
void StagedTransport::idle() {
  progress();
  if (under_way_.empty()) inner_->idle();
}

}  // namespace kallima::cuda
