#pragma once
// Messages between devices over a transport that knows only the host's memory. A block is copied to pinned memory in
// pieces, each of which is sent as soon as it is there and copied to the other device as soon as it has come: copies
// down, the wire and copies up are under way at the same time, and the device computes meanwhile. To a neighbour on the
// node pieces go through slots of shared memory, from which it copies them itself; a message that finds too few free
// does without, since whoever holds them may wait for it. Where the library below takes device pointers itself, it gets
// them.

#include <map>
#include <set>

#include "cuda/device.cuh"
#include "kallima/transport.hpp"
#include "transport/requests.hpp"

namespace kallima::cuda {

class StagedTransport final : public Transport {
 public:
  StagedTransport(std::unique_ptr<Transport> inner, int device);
  ~StagedTransport() override;

  std::string name() const override { return inner_->name(); }
  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  bool sees(int peer) const override { return peer == rank(); }  // nobody reads another's device memory in place
  bool survives_exceptions() const override { return inner_->survives_exceptions(); }
  Tuning tuning() const override { return inner_->tuning(); }
  std::string tuning_from() const override { return inner_->tuning_from(); }
  void retune(const Tuning& tuning, const std::string& from) override { inner_->retune(tuning, from); }

  void reserve(std::size_t requests) override { inner_->reserve(requests * most_parts); }
  Request post_send(int peer, int tag, std::span<const std::byte> block) override;
  Request post_recv(int peer, int tag, std::span<std::byte> landing) override;
  bool test(Request request) override;
  const std::byte* data(Request received) const override;
  void release(Request request) override;
  void progress() override;
  void idle() override;

  std::uint64_t announce(const Call& call) override { return inner_->announce(call); }
  std::unique_ptr<SharedMemory> allocate(std::size_t bytes) override { return inner_->allocate(bytes); }
  std::unique_ptr<Transport> duplicate() override {
    return std::make_unique<StagedTransport>(inner_->duplicate(), device_);
  }
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) override { inner_->gather(mine, all); }
  void barrier() override { inner_->barrier(); }
  void give_up() noexcept override { inner_->give_up(); }
  [[noreturn]] void abort(const std::string& why) noexcept override {
    inner_->abort(why);
    std::abort();  // not reached
  }

  static constexpr std::size_t most_parts = 64;  // of a block, unless it goes through slots
  static constexpr std::size_t slot_bytes = std::size_t{2} << 20;
  static constexpr std::size_t slot_count = 32;
  static constexpr std::size_t slots_of_message = 8;
  static std::size_t part_bytes(std::size_t block);

 private:
  using Pinned = std::shared_ptr<std::byte>;

  // One piece of a block: of a send, it is copied down and then sent; of a receive, it comes and is then copied up.
  struct Part {
    std::size_t begin = 0, bytes = 0;
    cudaEvent_t copied = nullptr;  // none: no copy is under way
    Request request = -1;          // none: it is not posted, or over
    int slot = -1;                 // of a send to a neighbour: where it is
    bool done = false;
  };
  struct Staged {
    bool is_send = false;
    int peer = 0, tag = 0;
    std::byte* device = nullptr;
    std::size_t bytes = 0;
    Pinned pinned = {};           // none: it goes through slots, or comes from a neighbour's
    std::vector<int> slots = {};  // that it has, but for those its parts are in
    std::vector<Part> parts = {};
    bool done = false;
  };

  Request add(bool is_send, int peer, int tag, const std::byte* device, std::size_t bytes);
  void open_slots();
  bool has_slots(int peer) const { return slots_ != nullptr && peer != rank() && inner_->sees(peer); }
  void take_slots(Staged& staged);
  void make_fast(const std::byte* slot);
  Pinned pinned(std::size_t bytes);
  void copy(Part& part, std::byte* to, const std::byte* from, cudaStream_t stream);
  bool is_copied(Part& part);
  void move_on(Staged& staged);
  void move_send(Staged& staged);
  void move_receive(Staged& staged);

  std::unique_ptr<Transport> inner_;
  const int device_;
  const bool straight_;
  cudaStream_t down_ = nullptr, up_ = nullptr;
  RequestTable<Staged> staged_;
  std::vector<Request> under_way_;
  std::multimap<std::size_t, Pinned> spare_;
  std::vector<cudaEvent_t> events_;      // to be used again
  std::unique_ptr<SharedMemory> slots_;  // none where nobody would see them
  std::vector<int> free_slots_;
  std::set<const std::byte*> fast_;  // slots, ours and the neighbours', that are registered with the device
};

}  // namespace kallima::cuda
