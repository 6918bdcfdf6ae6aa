#pragma once
// One rank of the threads transport. It belongs to its thread; what ranks share is in ThreadWorld.

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/check.hpp"
#include "kallima/transport.hpp"
#include "transport/matcher.hpp"
#include "transport/request_table.hpp"
#include "transport/thread_world.hpp"

namespace kallima {

class ThreadTransport final : public Transport {
 public:
  ThreadTransport(std::shared_ptr<ThreadWorld> world, int rank)
      : world_(std::move(world)), seat_(world_->seats[static_cast<std::size_t>(rank)]), rank_(rank) {}

  std::string name() const override { return "threads"; }
  int rank() const override { return rank_; }
  int size() const override { return world_->size; }
  bool all_views() const override { return true; }
  bool survives_exceptions() const override { return true; }

  void reserve(std::size_t requests) override;
  Request post_send(int peer, int tag, std::span<const std::byte> block) override;
  Request post_recv(int peer, int tag, std::span<std::byte> landing) override;
  bool test(Request request) override;
  const std::byte* data(Request received) const override;
  void release(Request request) override;
  void progress() override { take_inbox(); }
  void idle() override;

  std::unique_ptr<SharedMemory> allocate(std::size_t bytes) override;
  std::unique_ptr<Transport> duplicate() override;
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) override;
  void barrier() override { world_->meeting.attend(*world_->failure, world_->spins); }
  [[noreturn]] void abort(const std::string& why) noexcept override;

 private:
  struct Row {
    bool is_send = false;
    Message* message = nullptr;  // of a receive: none until one arrives
  };

  void check_peer(int peer) const {
    require(peer >= 0 && peer < size(), "there is no rank {} to exchange with (there are {} ranks)", peer, size());
  }
  Message* blank_message();
  void take_inbox();

  std::shared_ptr<ThreadWorld> world_;
  Seat& seat_;
  int rank_;
  RequestTable<Row> requests_;
  Matcher<Message*> matcher_;
  std::uint64_t events_seen_ = 0;
  int idle_rounds_ = 0;
  std::size_t gathers_ = 0;
};

}  // namespace kallima
