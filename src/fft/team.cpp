#include "fft/team.hpp"

#include <unistd.h>

#include <thread>

namespace kallima {
namespace {

constexpr int spins = 2000;  // tens of microseconds: the next sweep of a transform comes sooner, the next call may not

constexpr std::uint64_t most_parts = 1 << 16;

// What parts_ holds: the call's number, its parts, and the next to be taken.
std::uint64_t packed(std::uint32_t call, std::uint64_t parts) { return (call * most_parts + parts) * most_parts; }
std::uint64_t next_of(std::uint64_t state) { return state % most_parts; }
std::uint64_t parts_of(std::uint64_t state) { return state / most_parts % most_parts; }
std::uint32_t call_of(std::uint64_t state) { return static_cast<std::uint32_t>(state / most_parts / most_parts); }

// Until `is_there` holds; false: it took too long.
bool soon(const auto& is_there) {
  for (int i = 0; i < spins; ++i) {
    if (is_there()) return true;
    if (i % 64 == 63) std::this_thread::yield();
  }
  return false;
}

}  // namespace

// Never destroyed: members may still wait for a call when the process ends.
Team& Team::of_this_process() {
  static std::mutex mutex;
  static Team* team = nullptr;
  static pid_t process = 0;
  const std::lock_guard lock(mutex);
  if (team == nullptr || process != getpid()) team = new Team;
  process = getpid();
  return *team;
}

void Team::run(int parts, const Part& part) {
  const std::unique_lock lock(one_call_at_a_time_, std::try_to_lock);
  if (!lock.owns_lock() || parts == 1) {
    for (int i = 0; i < parts; ++i) part(i);
    return;
  }
  while (members_ < parts - 1) add_member();
  const std::uint32_t call = call_.load(std::memory_order_relaxed) + 1;
  part_ = &part;
  failed_ = false;
  unfinished_.store(parts, std::memory_order_relaxed);
  parts_.store(packed(call, static_cast<std::uint64_t>(parts)), std::memory_order_release);
  call_.store(call, std::memory_order_release);
  call_.notify_all();
  while (take_part(call)) {
  }
  const auto over = [&] { return unfinished_.load(std::memory_order_acquire) == 0; };
  while (!soon(over)) {
  }
  if (failed_) std::rethrow_exception(error_);
}

void Team::add_member() {
  std::thread([this, seen = call_.load()] { work(seen); }).detach();
  ++members_;
}

void Team::work(std::uint32_t seen) {
  while (true) {
    const auto called = [&] { return call_.load(std::memory_order_acquire) != seen; };
    if (!soon(called)) call_.wait(seen, std::memory_order_acquire);
    if (!called()) continue;
    seen = call_.load(std::memory_order_acquire);
    while (take_part(seen)) {
    }
  }
}

// A part that was taken keeps its call from ending, and with it what part_ points to.
bool Team::take_part(std::uint32_t call) {
  std::uint64_t state = parts_.load(std::memory_order_acquire);
  do {
    if (call_of(state) != call || next_of(state) == parts_of(state)) return false;
  } while (!parts_.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel, std::memory_order_acquire));
  do_part(static_cast<int>(next_of(state)));
  unfinished_.fetch_sub(1, std::memory_order_acq_rel);
  return true;
}

void Team::do_part(int part) noexcept {
  try {
    (*part_)(part);
  } catch (...) {
    if (!failed_.exchange(true)) error_ = std::current_exception();
  }
}

}  // namespace kallima
