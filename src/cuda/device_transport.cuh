#pragma once
// A transport for blocks that stand in a device's memory: what ranks share is memory of the device. Those for ranks of
// one process, and those that carry blocks to other processes, are made from it.

#include "cuda/device.cuh"
#include "kallima/transport.hpp"

namespace kallima::cuda {

class DeviceBlock final : public SharedMemory {
 public:
  DeviceBlock(std::shared_ptr<std::byte> at, std::size_t bytes) : at_(std::move(at)), bytes_(bytes) {}
  std::span<std::byte> bytes() override { return {at_.get(), bytes_}; }

 private:
  std::shared_ptr<std::byte> at_;
  std::size_t bytes_;
};

class DeviceTransport : public Transport {
 public:
  DeviceTransport(std::unique_ptr<Transport> inner, int device) : inner_(std::move(inner)), device_(device) { use(); }

  std::string name() const override { return inner_->name(); }
  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  bool sees(int peer) const override { return inner_->sees(peer); }
  bool survives_exceptions() const override { return inner_->survives_exceptions(); }
  Tuning tuning() const override { return inner_->tuning(); }
  std::string tuning_from() const override { return inner_->tuning_from(); }
  void retune(const Tuning& tuning, const std::string& from) override { inner_->retune(tuning, from); }

  void reserve(std::size_t requests) override { inner_->reserve(requests); }
  Request post_send(int peer, int tag, std::span<const std::byte> block) override {
    return inner_->post_send(peer, tag, block);
  }
  Request post_recv(int peer, int tag, std::span<std::byte> landing) override {
    return inner_->post_recv(peer, tag, landing);
  }
  bool test(Request request) override { return inner_->test(request); }
  const std::byte* data(Request received) const override { return inner_->data(received); }
  void release(Request request) override { inner_->release(request); }
  void progress() override { inner_->progress(); }
  void idle() override { inner_->idle(); }

  std::uint64_t announce(const Call& call) override { return inner_->announce(call); }
  std::unique_ptr<SharedMemory> allocate(std::size_t bytes) override {
    std::unique_ptr<SharedMemory> memory;
    together(*inner_, [&] { memory = std::make_unique<DeviceBlock>(zeroed(bytes), bytes); });
    return memory;
  }
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) override { inner_->gather(mine, all); }
  void barrier() override { inner_->barrier(); }
  void give_up() noexcept override { inner_->give_up(); }
  [[noreturn]] void abort(const std::string& why) noexcept override {
    inner_->abort(why);
    std::abort();  // not reached
  }

 protected:
  void use() const { check(cudaSetDevice(device_), "choosing a device"); }
  std::shared_ptr<std::byte> zeroed(std::size_t bytes) const {
    use();
    std::shared_ptr<std::byte> memory = device_memory(bytes);
    if (bytes > 0) check(cudaMemset(memory.get(), 0, bytes), "clearing memory");
    check(cudaStreamSynchronize(nullptr), "clearing memory");
    return memory;
  }

  const std::unique_ptr<Transport> inner_;
  const int device_;
};

}  // namespace kallima::cuda
