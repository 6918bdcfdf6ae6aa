#include "cuda/staged_transport.cuh"

#include <algorithm>

namespace kallima::cuda {

StagedTransport::StagedTransport(std::unique_ptr<Transport> inner, int device)
    : inner_(std::move(inner)), device_(device), straight_(inner_->device_blocks() == DeviceBlocks::by_messages) {
  check(cudaSetDevice(device_), "choosing a device");
  check(cudaStreamCreateWithFlags(&down_, cudaStreamNonBlocking), "making a stream");
  check(cudaStreamCreateWithFlags(&up_, cudaStreamNonBlocking), "making a stream");
}

StagedTransport::~StagedTransport() {
  cudaSetDevice(device_);
  for (const cudaStream_t stream : {down_, up_}) cudaStreamSynchronize(stream);
  for (const cudaEvent_t event : events_) cudaEventDestroy(event);
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
  staged.pinned = pinned(bytes);
  const std::size_t each = part_bytes(bytes);
  for (std::size_t begin = 0; begin == 0 || begin < bytes; begin += each)
    staged.parts.push_back({.begin = begin, .bytes = std::min(each, bytes - begin)});
  const Request request = staged_.add(std::move(staged));
  under_way_.push_back(request);
  return request;
}

Request StagedTransport::post_send(int peer, int tag, std::span<const std::byte> block) {
  if (straight_) return inner_->post_send(peer, tag, block);
  const Request request = add(true, peer, tag, block.data(), block.size());
  Staged& staged = staged_.at(request);
  for (Part& part : staged.parts) copy(part, staged.pinned.get() + part.begin, staged.device + part.begin, down_);
  return request;
}

Request StagedTransport::post_recv(int peer, int tag, std::span<std::byte> landing) {
  if (straight_) return inner_->post_recv(peer, tag, landing);
  const Request request = add(false, peer, tag, landing.data(), landing.size());
  Staged& staged = staged_.at(request);
  int number = tag * static_cast<int>(most_parts);
  for (Part& part : staged.parts)
    part.request = inner_->post_recv(peer, number++, {staged.pinned.get() + part.begin, part.bytes});
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
  int number = staged.tag * static_cast<int>(most_parts);
  for (Part& part : staged.parts) {
    if (part.copied != nullptr) {
      if (!is_copied(part)) return;
      part.request = inner_->post_send(staged.peer, number, {staged.pinned.get() + part.begin, part.bytes});
    }
    if (!part.done && inner_->test(part.request)) {
      inner_->release(part.request);
      part.done = true;
    }
    ++number;
  }
}

void StagedTransport::move_receive(Staged& staged) {
  for (Part& part : staged.parts) {
    if (part.done) continue;
    if (part.copied == nullptr && inner_->test(part.request))
      copy(part, staged.device + part.begin, inner_->data(part.request), up_);
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
  spare_.emplace(staged.bytes, std::move(staged.pinned));
  staged_.remove(request);
}

// Nobody rings when a copy is done.
void StagedTransport::idle() {
  progress();
  if (under_way_.empty()) inner_->idle();
}

}  // namespace kallima::cuda
