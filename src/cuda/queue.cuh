#pragma once
// Where a backend's work waits for its device: one stream, in which everything is done in the order it was started, and
// an event behind each start, so that the host can ask how far the device has come. A backend may have several, whose
// tickets say which they are from.

#include <deque>
#include <mutex>
#include <vector>

#include "cuda/device.cuh"
#include "kallima/backend.hpp"

namespace kallima::cuda {

class Queue {
 public:
  static constexpr Ticket most = 4;  // of one backend
  static Ticket of(Ticket ticket) { return ticket % most; }

  Queue(int device, cudaStream_t theirs, Ticket number = 0)
      : device_(device), number_(number), stream_(theirs), own_(theirs == nullptr) {
    use();
    if (own_) check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
  }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  ~Queue() {
    cudaSetDevice(device_);
    for (const Mark& mark : waiting_) cudaEventDestroy(mark.event);
    for (const cudaEvent_t event : spare_) cudaEventDestroy(event);
    if (own_) cudaStreamDestroy(stream_);
  }

  int device() const { return device_; }
  cudaStream_t stream() const { return stream_; }
  void use() const { check(cudaSetDevice(device_), "choosing a device"); }  // by this thread
  void wait() const { check(cudaStreamSynchronize(stream_), "waiting for work"); }

  // For all that has been started.
  Ticket mark() {
    const std::lock_guard lock(mutex_);
    cudaEvent_t event = nullptr;
    if (spare_.empty()) {
      check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event");
    } else {
      event = spare_.back();
      spare_.pop_back();
    }
    check(cudaEventRecord(event, stream_), "recording an event");
    waiting_.push_back({++last_, event});
    return last_ * most + number_;
  }

  bool done(Ticket ticket) {
    const std::lock_guard lock(mutex_);
    while (!waiting_.empty() && ticket / most >= waiting_.front().ticket) {
      const cudaError_t code = cudaEventQuery(waiting_.front().event);
      if (code == cudaErrorNotReady) return false;
      check(code, "computing");
      spare_.push_back(waiting_.front().event);
      waiting_.pop_front();
    }
    return true;
  }

 private:
  struct Mark {
    Ticket ticket;
    cudaEvent_t event;
  };

  const int device_;
  const Ticket number_;
  cudaStream_t stream_;
  const bool own_;
  std::mutex mutex_;  // ranks may share a backend
  std::deque<Mark> waiting_;
  std::vector<cudaEvent_t> spare_;
  Ticket last_ = 0;
};

}  // namespace kallima::cuda
