#pragma once
// A transport with a thread beside it that moves its messages on while the rank does other things. It wraps any other
// transport and locks around every call, so that transports which are polled know nothing of threads and pay nothing.
// The thread sleeps tuning().poll_seconds between two looks, and without a timeout while nothing is under way; one that
// spins would take the core from the rank it is to help.

#include <sys/prctl.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "base/check.hpp"
#include "kallima/transport.hpp"
#include "transport/adopts_memory.hpp"

namespace kallima {

// The inner transport must bear calls from two threads, one at a time.
class ProgressThread final : public Transport, public AdoptsMemory {
 public:
  explicit ProgressThread(std::unique_ptr<Transport> inner)
      : inner_(std::move(inner)), pause_(inner_->tuning().poll_seconds), thread_([this] { serve(); }) {}
  ~ProgressThread() override {
    {
      const std::lock_guard lock(mutex_);
      leaving_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  std::string name() const override { return inner_->name(); }
  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  bool sees(int peer) const override { return inner_->sees(peer); }
  bool one_process() const override { return inner_->one_process(); }
  DeviceBlocks device_blocks() const override { return inner_->device_blocks(); }
  bool survives_exceptions() const override { return inner_->survives_exceptions(); }
  Tuning tuning() const override { return inner_->tuning(); }
  std::string tuning_from() const override { return inner_->tuning_from(); }
  void retune(const Tuning& tuning, const std::string& from) override { locked()->retune(tuning, from); }

  void reserve(std::size_t requests) override { locked()->reserve(requests); }
  Request post_send(int peer, int tag, std::span<const std::byte> block) override {
    return counted([&](Transport& inner) { return inner.post_send(peer, tag, block); });
  }
  Request post_recv(int peer, int tag, std::span<std::byte> landing) override {
    return counted([&](Transport& inner) { return inner.post_recv(peer, tag, landing); });
  }
  bool test(Request request) override { return locked()->test(request); }
  const std::byte* data(Request received) const override {
    const std::lock_guard lock(mutex_);
    return inner_->data(received);
  }
  void release(Request request) override {
    const Locked inner = locked();
    inner->release(request);
    --under_way_;
  }
  void progress() override { locked()->progress(); }
  void idle() override { locked()->idle(); }

  std::unique_ptr<SharedMemory> allocate(std::size_t bytes) override { return locked()->allocate(bytes); }
  std::unique_ptr<SharedMemory> adopt(std::shared_ptr<std::byte> memory, std::size_t bytes,
                                      const std::vector<std::byte*>& there) override {
    const Locked inner = locked();
    auto* const adopts = dynamic_cast<AdoptsMemory*>(&inner.inner);
    require(adopts != nullptr, "transport {} passes views of no memory but its own", name());
    return adopts->adopt(std::move(memory), bytes, there);
  }
  std::unique_ptr<Transport> duplicate() override { return std::make_unique<ProgressThread>(locked()->duplicate()); }
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) override { locked()->gather(mine, all); }
  void barrier() override { locked()->barrier(); }
  std::uint64_t announce(const Call& call) override { return inner_->announce(call); }
  void give_up() noexcept override { inner_->give_up(); }
  [[noreturn]] void abort(const std::string& why) noexcept override {
    inner_->abort(why);
    std::abort();  // not reached, but compilers forget that a virtual function does not return
  }

 private:
  // The inner transport, ours alone as long as this lives.
  struct Locked {
    std::unique_lock<std::mutex> lock;
    Transport& inner;
    Transport* operator->() const { return &inner; }
  };

  // What went wrong on the thread is the rank's to tell.
  Locked locked() {
    Locked inner{std::unique_lock(mutex_), *inner_};
    if (trouble_) std::rethrow_exception(std::exchange(trouble_, nullptr));
    return inner;
  }

  template <class Post>
  Request counted(const Post& post) {
    Request request = 0;
    {
      const Locked inner = locked();
      request = post(*inner_);
      ++under_way_;
    }
    wake_.notify_one();
    return request;
  }

  void serve() {
    ::prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);  // 50 us by default, which would double a short sleep
    std::unique_lock lock(mutex_);
    while (!leaving_) {
      if (under_way_ == 0 || trouble_) {
        wake_.wait(lock);
        continue;
      }
      try {
        inner_->progress();
      } catch (...) {
        trouble_ = std::current_exception();
      }
      lock.unlock();  // and not wait_for(): a post need not wake us, it has moved the messages on itself
      std::this_thread::sleep_for(pause_);
      lock.lock();
    }
  }

  std::unique_ptr<Transport> inner_;
  std::chrono::duration<double> pause_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  int under_way_ = 0;  // requests
  bool leaving_ = false;
  std::exception_ptr trouble_;
  std::thread thread_;  // last: it uses all the others
};

}  // namespace kallima
