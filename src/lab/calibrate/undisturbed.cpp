// Linux knows the nanoseconds that a thread has waited for a core. Where it was built without that it knows how often
// a core was taken away, each time for a millisecond, say. The transform that tells whether somebody shares the core
// keeps its units busy: a chain of dependent additions would hardly take longer.

#include "lab/calibrate/undisturbed.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "kallima/backend.hpp"
#include "lab/doctor/doctor_pair.hpp"

namespace kallima {
namespace {

constexpr double usual_slice_s = 1e-3;

class ThreadClock {
 public:
  ThreadClock() : file_(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}
  ~ThreadClock() {
    if (file_ >= 0) ::close(file_);
  }
  ThreadClock(const ThreadClock&) = delete;
  ThreadClock& operator=(const ThreadClock&) = delete;

  // The second of its numbers.
  double deprived() const {
    char text[96] = "";
    if (file_ < 0 || ::pread(file_, text, sizeof text - 1, 0) <= 0) return by_slices();
    char* rest = text;
    std::strtoull(rest, &rest, 10);
    return 1e-9 * static_cast<double>(std::strtoull(rest, nullptr, 10));
  }

 private:
  static double by_slices() {
    rusage used{};
    getrusage(RUSAGE_THREAD, &used);
    return usual_slice_s * static_cast<double>(used.ru_nivcsw);
  }

  int file_;
};

class Witness {
 public:
  Witness() {
    constexpr Index length = 16, lanes = 16;
    const Piece all{.buffer = Buffer::in, .count = length, .stride = lanes, .strides = {1}};
    const Pass pass{.length = length, .sources = {all}, .targets = {all}, .loops = {lanes}};
    const std::shared_ptr<const Backend> backend = cpu_backend(Precision::double_);
    kernel_ = backend->compile(pass, 0, Direction::forward, Effort::estimate);
    memory_ = backend->allocate(length * lanes * backend->element().bytes);
    tile_ = backend->allocate(kernel_->tile_bytes());
    operands_.buffers[at(Buffer::in)] = memory_.get();
    for (int i = 0; i < first_runs; ++i) is_calm();
  }

  // Interrupts take some microseconds, too: one of two runs is free of them.
  bool is_calm() {
    const double now = std::min(run(), run());
    best_ = std::min(best_, now);
    return now <= usual * best_;
  }

  double best() const { return best_; }
  void expect(double seconds) { best_ = std::min(best_, seconds); }

  void await_calm() {
    const auto begin = Clock::now();
    const double worked = since(first_) - waited_s_;
    const double most = std::min(patience_s, allowance_s + worked / 2 - waited_s_);
    // A neighbour says nothing when it leaves: there is only looking.
    while (!is_calm() && since(begin) < most) std::this_thread::sleep_for(std::chrono::microseconds(200));
    waited_s_ += since(begin);
  }

 private:
  static constexpr int first_runs = 100, times = 16;
  static constexpr double usual = 1.1;  // times the best
  static constexpr double patience_s = 1, allowance_s = 5;

  double run() {
    const auto begin = Clock::now();
    for (int i = 0; i < times; ++i)
      kernel_->start({operands_, {}, 1, {tile_.get(), kernel_->tile_bytes()}, progress_});
    return since(begin);
  }

  std::unique_ptr<const Kernel> kernel_;
  std::shared_ptr<std::byte> memory_, tile_;
  Operands operands_;
  Progress progress_ = [] {};
  double best_ = 1e9;
  Clock::time_point first_ = Clock::now();
  double waited_s_ = 0;
};

Witness& witness() {
  thread_local Witness it;
  return it;
}

}  // namespace

bool is_calm() { return witness().is_calm(); }

double calm_seconds() { return witness().best(); }

void expect_calm(double seconds) { witness().expect(seconds); }

void await_calm() { witness().await_calm(); }

double deprived_s() {
  thread_local const ThreadClock clock;
  return clock.deprived();
}

}  // namespace kallima
