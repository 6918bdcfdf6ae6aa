#pragma once
// Messages between devices over a transport that knows only the host's memory. A block is copied to pinned memory in
// pieces, each of which is sent as soon as it is there and copied to the other device as soon as it has come: copies
// down, the wire and copies up are under way at the same time, and the device computes meanwhile. Where the library
// below takes device pointers itself, it gets them.

#include <map>

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

  static constexpr std::size_t most_parts = 16;  // of a block
  static std::size_t part_bytes(std::size_t block);

 private:
  using Pinned = std::shared_ptr<std::byte>;

  // One piece of a block: of a send, it is copied down and then sent; of a receive, it comes and is then copied up.
  struct Part {
    std::size_t begin = 0, bytes = 0;
    cudaEvent_t copied = nullptr;  // none: no copy is under way
    Request request = -1;          // none: it is not posted, or over
    bool done = false;
  };
  struct Staged {
    bool is_send = false;
    int peer = 0, tag = 0;
    std::byte* device = nullptr;
    std::size_t bytes = 0;
    Pinned pinned = {};
    std::vector<Part> parts = {};
    bool done = false;
  };

  Request add(bool is_send, int peer, int tag, const std::byte* device, std::size_t bytes);
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
  std::vector<cudaEvent_t> events_;  // to be used again
};

}  // namespace kallima::cuda
