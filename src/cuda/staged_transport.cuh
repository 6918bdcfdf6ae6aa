#pragma once
// Messages between the devices of processes. Where a peer's memory can be opened, a block is read where it stands. Else
// it goes over the host in pieces: copies down, the way between, and copies up are under way at the same time, and the
// device computes meanwhile. On one node there is nothing between: pieces go through slots that both ends have pinned,
// a message's from when its receiver is there, so that no slot is held by what nobody takes. To other nodes each piece
// is sent as soon as it is down. Where the library below takes device pointers itself, it gets them.

#include <array>
#include <deque>
#include <map>

#include "cuda/device_transport.cuh"
#include "cuda/device_views.hpp"
#include "cuda/staging_room.hpp"
#include "transport/notes_copies.hpp"
#include "transport/requests.hpp"

namespace kallima::cuda {

class StagedTransport final : public DeviceTransport, public NotesCopies {
 public:
  StagedTransport(std::unique_ptr<Transport> inner, int device);  // collective
  ~StagedTransport() override;

  bool sees(int peer) const override { return peer == rank() || views_.sees(peer); }

  void reserve(std::size_t requests) override { inner_->reserve(requests * (most_parts + 1)); }
  Request post_send(int peer, int tag, std::span<const std::byte> block) override;
  Request post_recv(int peer, int tag, std::span<std::byte> landing) override;
  bool test(Request request) override;
  const std::byte* data(Request received) const override;
  void release(Request request) override;
  void progress() override;
  void idle() override;
  void note_copies(Trace* trace) override { trace_ = trace; }

  std::unique_ptr<SharedMemory> allocate(std::size_t bytes) override {
    use();
    return views_.any() ? views_.allocate(bytes) : DeviceTransport::allocate(bytes);
  }
  std::unique_ptr<Transport> duplicate() override {
    return std::make_unique<StagedTransport>(inner_->duplicate(), device_);
  }

  static constexpr std::size_t most_parts = 16;  // of a block that goes to another node
  static std::size_t part_bytes(std::size_t block);

 private:
  using Pinned = std::shared_ptr<std::byte>;
  enum class Way { in_place, room, wire };

  // One piece of a block: of a send, it is copied down and then sent; of a receive, it comes and is then copied up.
  struct Part {
    std::size_t begin = 0, bytes = 0;
    std::byte* place = nullptr;  // in the host's memory; of a send through the room, once it has a slot
    int slot = -1;
    cudaEvent_t copied = nullptr;  // none: no copy is under way
    double since = 0;              // when it was started, for the trace
    Request request = -1;          // none: it is not posted, or over
    bool done = false;
  };
  struct StagedMessage {
    bool is_send = false;
    int peer = 0, tag = 0;
    Way way = Way::wire;
    std::byte* device = nullptr;
    std::size_t bytes = 0;
    // In place: the block's own, or an empty one where it comes in pieces. Through the room: the receiver's, which says
    // that it is there. -1: it is over.
    Request notice = -1;
    Pinned pinned = {};
    std::vector<Part> parts = {};
    std::size_t begun = 0;  // of these, in a send
    bool done = false;
  };

  Way way_to(int peer) const {
    return views_.sees(peer) ? Way::in_place : room_ && inner_->sees(peer) ? Way::room : Way::wire;
  }
  static int notice_tag(int tag) { return tag * static_cast<int>(most_parts + 1) + static_cast<int>(most_parts); }
  static int part_tag(int tag, std::size_t part) {
    return tag * static_cast<int>(most_parts + 1) + static_cast<int>(part % most_parts);
  }

  void make_room();
  Request add(StagedMessage message);
  void cut(StagedMessage& message);
  void expect_parts(StagedMessage& message);
  Pinned pinned(std::size_t bytes);
  void copy_down(StagedMessage& message, Part& part);
  void copy(Part& part, std::byte* to, const std::byte* from, cudaStream_t stream);
  bool is_copied(const StagedMessage& message, Part& part);
  void note(const StagedMessage& message, const Part& part);
  void fill_slots();
  void move_on(Request request);
  void move_send(StagedMessage& message);
  void move_receive(StagedMessage& message);
  void receive_in_place(StagedMessage& message);

  const bool straight_;
  DeviceViews views_;
  std::unique_ptr<StagingRoom> room_;  // none: neighbours' pieces are sent like others
  cudaStream_t down_ = nullptr, up_ = nullptr;
  RequestTable<StagedMessage> messages_;
  std::vector<Request> under_way_;
  std::deque<Request> for_room_;  // sends with parts that have no slot yet, in the order in which receivers came
  std::multimap<std::size_t, Pinned> spare_;
  std::vector<cudaEvent_t> events_;  // to be used again
  int copying_ = 0;                  // copies that are under way
  Trace* trace_ = nullptr;
  std::array<double, 2> last_copied_ = {};  // when each engine was done with its last, for the trace
};

}  // namespace kallima::cuda
