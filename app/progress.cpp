// The line is drawn by a thread of its own that sleeps between drawings, since the work itself has no place to do so.

#include "app/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

namespace kallima::cli {

Progress::Progress(bool wanted) {
  if (wanted && isatty(STDERR_FILENO) != 0) thread_ = std::thread([this] { show_until_stopped(); });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Progress::step(const std::string& what) {
  const std::lock_guard lock(mutex_);
  what_ = what;
}

void Progress::show_until_stopped() {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  std::unique_lock lock(mutex_);
  bool shown = false;
  auto next = begin + std::chrono::seconds(1);
  while (!changed_.wait_until(lock, next, [this] { return stop_; })) {
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    fmt::print(stderr, "\r\033[K{} ... {:.1f} s", what_, seconds);
    std::fflush(stderr);
    shown = true;
    next = Clock::now() + std::chrono::milliseconds(200);
  }
  if (shown) fmt::print(stderr, "\r\033[K");
}

}  // namespace kallima::cli
