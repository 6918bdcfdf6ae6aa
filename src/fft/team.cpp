#include "fft/team.hpp"

#include <unistd.h>

#include <thread>

namespace kallima {
namespace {

constexpr int spins = 2000;  // tens of microseconds: the next sweep of a transform comes sooner, the next call may not

constexpr std::uint32_t most_parts = 1024;

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
  part_ = &part;
  failed_ = false;
  unfinished_.store(parts - 1, std::memory_order_relaxed);
  const std::uint32_t number = call_.load(std::memory_order_relaxed) / most_parts + 1;
  call_.store(number * most_parts + static_cast<std::uint32_t>(parts), std::memory_order_release);
  call_.notify_all();
  do_part(0);
  const auto over = [&] { return unfinished_.load(std::memory_order_acquire) == 0; };
  while (!soon(over)) {
  }
  if (failed_) std::rethrow_exception(error_);
}

void Team::add_member() {
  const int member = members_ + 1;
  std::thread([this, member, seen = call_.load()] { work(member, seen); }).detach();
  members_ = member;
}

// A call that has a part for this member is not over without it; others may come and go unnoticed.
void Team::work(int member, std::uint32_t seen) {
  while (true) {
    const auto called = [&] { return call_.load(std::memory_order_acquire) != seen; };
    if (!soon(called)) call_.wait(seen, std::memory_order_acquire);
    if (!called()) continue;
    seen = call_.load(std::memory_order_acquire);
    if (static_cast<std::uint32_t>(member) >= seen % most_parts) continue;
    do_part(member);
    unfinished_.fetch_sub(1, std::memory_order_release);
  }
}

void Team::do_part(int part) noexcept {
  try {
    (*part_)(part);
  } catch (...) {
    if (!failed_.exchange(true)) error_ = std::current_exception();
  }
}

}  // namespace kallima
