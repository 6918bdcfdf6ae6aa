#include "cuda/staged_transport.cuh"

#include <algorithm>
#include <chrono>
#include <utility>

namespace kallima::cuda {
namespace {

double now() {  // as the executor counts
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

StagedTransport::StagedTransport(std::unique_ptr<Transport> inner, int device)
    : DeviceTransport(std::move(inner), device),
      straight_(inner_->device_blocks() == DeviceBlocks::by_messages),
      views_(*inner_) {
  check(cudaStreamCreateWithFlags(&down_, cudaStreamNonBlocking), "making a stream");
  check(cudaStreamCreateWithFlags(&up_, cudaStreamNonBlocking), "making a stream");
  if (!straight_ && !views_.any()) make_room();
}

StagedTransport::~StagedTransport() {
  cudaSetDevice(device_);
  for (const cudaStream_t stream : {down_, up_}) cudaStreamSynchronize(stream);
  for (const cudaEvent_t event : events_) cudaEventDestroy(event);
  for (const cudaStream_t stream : {down_, up_}) cudaStreamDestroy(stream);
}

void StagedTransport::make_room() {
  bool neighbours = false;
  for (int peer = 0; peer < size(); ++peer) neighbours = neighbours || (peer != rank() && inner_->sees(peer));
  const std::vector<int> all = gathered(*inner_, static_cast<int>(neighbours));
  if (std::ranges::count(all, 0) == std::ssize(all)) return;
  try {
    room_ = std::make_unique<StagingRoom>(*inner_);
  } catch (const Error&) {  // on all ranks: a node has too little memory to share
  }
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

void StagedTransport::cut(StagedMessage& message) {
  const std::size_t each = message.way == Way::room ? StagingRoom::slot_bytes : part_bytes(message.bytes);
  for (std::size_t begin = 0; begin == 0 || begin < message.bytes; begin += each)
    message.parts.push_back({.begin = begin, .bytes = std::min(each, message.bytes - begin)});
  if (message.way == Way::room) return;
  message.pinned = pinned(message.bytes);
  for (Part& part : message.parts) part.place = message.pinned.get() + part.begin;
}

Request StagedTransport::add(StagedMessage message) {
  const Request request = messages_.add(std::move(message));
  under_way_.push_back(request);
  return request;
}

// In place, who reads the block is told where it stands or, with an empty one, that it comes in pieces.
Request StagedTransport::post_send(int peer, int tag, std::span<const std::byte> block) {
  if (straight_) return inner_->post_send(peer, tag, block);
  use();
  StagedMessage message{.is_send = true, .peer = peer, .tag = tag, .way = way_to(peer), .bytes = block.size()};
  message.device = const_cast<std::byte*>(block.data());  // which is only read
  if (message.way == Way::room) message.notice = inner_->post_recv(peer, notice_tag(tag), {});
  if (message.way == Way::in_place) {
    const bool is_seen = views_.holds(block);
    message.notice = inner_->post_send(peer, notice_tag(tag), is_seen ? block : std::span<const std::byte>());
    if (!is_seen) message.way = Way::wire;
  }
  if (message.way != Way::in_place) cut(message);
  if (message.way == Way::wire)
    for (Part& part : message.parts) copy_down(message, part);
  return add(std::move(message));
}

Request StagedTransport::post_recv(int peer, int tag, std::span<std::byte> landing) {
  if (straight_) return inner_->post_recv(peer, tag, landing);
  use();
  StagedMessage message{
      .peer = peer, .tag = tag, .way = way_to(peer), .device = landing.data(), .bytes = landing.size()};
  if (message.way == Way::in_place) message.notice = inner_->post_recv(peer, notice_tag(tag), {});
  if (message.way == Way::room) message.notice = inner_->post_send(peer, notice_tag(tag), {});
  if (message.way != Way::in_place) expect_parts(message);
  return add(std::move(message));
}

void StagedTransport::expect_parts(StagedMessage& message) {
  cut(message);
  for (std::size_t i = 0; i < message.parts.size(); ++i) {
    Part& part = message.parts[i];
    const std::span<std::byte> place =
        part.place != nullptr ? std::span(part.place, part.bytes) : std::span<std::byte>();
    part.request = inner_->post_recv(message.peer, part_tag(message.tag, i), place);
  }
}

void StagedTransport::copy_down(StagedMessage& message, Part& part) {
  copy(part, part.place, message.device + part.begin, down_);
  ++message.begun;
}

void StagedTransport::copy(Part& part, std::byte* to, const std::byte* from, cudaStream_t stream) {
  if (events_.empty()) {
    events_.emplace_back();
    check(cudaEventCreateWithFlags(&events_.back(), cudaEventDisableTiming), "making an event");
  }
  part.copied = events_.back();
  part.since = trace_ != nullptr ? now() : 0;
  events_.pop_back();
  if (part.bytes > 0) check(cudaMemcpyAsync(to, from, part.bytes, cudaMemcpyDefault, stream), "copying a message");
  check(cudaEventRecord(part.copied, stream), "recording an event");
  ++copying_;
}

bool StagedTransport::is_copied(const StagedMessage& message, Part& part) {
  const cudaError_t code = cudaEventQuery(part.copied);
  if (code == cudaErrorNotReady) return false;
  check(code, "copying a message");
  --copying_;
  if (trace_ != nullptr) note(message, part);
  events_.push_back(part.copied);
  part.copied = nullptr;
  return true;
}

// An engine makes one copy after the other: what was started while another was under way has waited for its turn.
void StagedTransport::note(const StagedMessage& message, const Part& part) {
  double& before = last_copied_[message.is_send ? 0 : 1];
  Event copy{.rank = rank(), .task = message.tag, .kind = TaskKind::copy};
  copy.label = message.is_send ? "from device" : "to device";
  copy.peer = message.peer;
  copy.begin = std::max(part.since, before);
  copy.end = before = now();
  if (trace_->element_bytes > 0) copy.elements = static_cast<Index>(part.bytes) / trace_->element_bytes;
  trace_->events.push_back(std::move(copy));
}

// Messages have slots in the order in which their receivers came, and a receiver that is there takes what comes.
void StagedTransport::fill_slots() {
  while (!for_room_.empty()) {
    const std::optional<int> slot = room_->take();
    if (!slot) return;
    StagedMessage& message = messages_.at(for_room_.front());
    Part& part = message.parts[message.begun];
    part.slot = *slot;
    part.place = room_->at_slot(*slot);
    copy_down(message, part);
    if (message.begun == message.parts.size()) for_room_.pop_front();
  }
}

// Pieces go in order: where one is not there yet, those behind it are not, either.
void StagedTransport::move_send(StagedMessage& message) {
  for (std::size_t i = 0; i < message.begun; ++i) {
    Part& part = message.parts[i];
    if (part.copied != nullptr) {
      if (!is_copied(message, part)) return;
      part.request = inner_->post_send(message.peer, part_tag(message.tag, i), {part.place, part.bytes});
    }
    if (part.done || !inner_->test(part.request)) continue;
    inner_->release(part.request);
    part.done = true;
    if (part.slot >= 0) room_->give_back(part.slot);
  }
}

void StagedTransport::move_receive(StagedMessage& message) {
  for (Part& part : message.parts) {
    if (part.done) continue;
    if (part.copied == nullptr) {
      if (!inner_->test(part.request)) return;
      copy(part, message.device + part.begin, inner_->data(part.request), up_);
    }
    if (!is_copied(message, part)) continue;
    inner_->release(part.request);
    part.done = true;
  }
}

// The block's own place, which stays until it is given back; or none, and then it comes in pieces.
void StagedTransport::receive_in_place(StagedMessage& message) {
  if (const std::byte* const block = inner_->data(message.notice); block != nullptr) {
    message.device = const_cast<std::byte*>(block);
    message.done = true;
    return;
  }
  message.way = Way::wire;
  expect_parts(message);
}

void StagedTransport::move_on(Request request) {
  StagedMessage& message = messages_.at(request);
  if (message.notice >= 0 && inner_->test(message.notice)) {
    if (message.way == Way::in_place && message.is_send) message.done = true;
    if (message.way == Way::in_place && !message.is_send) receive_in_place(message);
    if (message.way == Way::room && message.is_send) for_room_.push_back(request);
    if (message.way != Way::in_place) inner_->release(std::exchange(message.notice, -1));
  }
  if (message.way == Way::in_place) return;
  message.is_send ? move_send(message) : move_receive(message);
  message.done = message.notice < 0 && std::ranges::all_of(message.parts, &Part::done);
}

void StagedTransport::progress() {
  inner_->progress();
  std::erase_if(under_way_, [&](Request request) {
    move_on(request);
    return messages_.at(request).done;
  });
  fill_slots();
}

bool StagedTransport::test(Request request) {
  if (straight_) return inner_->test(request);
  if (!messages_.at(request).done) progress();
  return messages_.at(request).done;
}

const std::byte* StagedTransport::data(Request received) const {
  if (straight_) return inner_->data(received);
  return messages_.at(received).device;
}

void StagedTransport::release(Request request) {
  if (straight_) return inner_->release(request);
  StagedMessage& message = messages_.at(request);
  require(message.done, "request {} is released before it is over", request);
  if (message.notice >= 0) inner_->release(message.notice);
  if (message.pinned) spare_.emplace(message.bytes, std::move(message.pinned));
  messages_.remove(request);
}

// Nobody rings when a copy is done. Where none is under way the transport below must know that there is nothing to do,
// or it would keep to its few messages at a time while the other end waits for a later one.
void StagedTransport::idle() {
  progress();
  if (copying_ == 0) inner_->idle();
}

}  // namespace kallima::cuda
