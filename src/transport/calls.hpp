#pragma once
// Ranks make the same collective calls in the same order. Where they do not, each may wait for ever for what the other
// does later, and nothing that travels shows it: plans have messages of their own. So each rank notes its calls, which
// costs it a few stores, and whoever has waited for long compares: what two ranks that both wait have noted under one
// number must be the same.

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "base/check.hpp"
#include "kallima/transport.hpp"

namespace kallima {

constexpr auto long_wait = std::chrono::seconds(1);

inline std::string text(const Call& call) {
  const std::string made = call.of == 0 ? "" : fmt::format(" made in call {}", call.of);
  const std::string after = call.after == nullptr ? "" : fmt::format(" (after {} was called)", *call.after);
  return *call.what + made + after;
}

inline std::string difference(int rank, const std::string& its, int other, const std::string& theirs) {
  return fmt::format(
      "rank {} waits in {} while rank {} is in {} (their calls differ): make the same calls in the same order on all "
      "ranks",
      rank, its, other, theirs);
}

// One rank's; others may read them.
class Calls {
 public:
  // Returns its number, from 1 on. A call that comes with an `after` is a step of the last that came without.
  std::uint64_t add(const Call& call) {
    const std::uint64_t number = made_.load(std::memory_order_relaxed) + 1;
    if (call.after == nullptr) last_ = call.what;
    NotedCall& entry = entries_[number % kept];
    entry.what.store(call.what, std::memory_order_relaxed);
    entry.of.store(call.of, std::memory_order_relaxed);
    entry.after.store(call.after == nullptr ? nullptr : last_, std::memory_order_relaxed);
    made_.store(number, std::memory_order_release);
    return number;
  }

  std::uint64_t made() const { return made_.load(std::memory_order_acquire); }
  std::string text_of_last() const { return text(*at(made())); }

  // Nothing: it was not made yet, or so long ago that nobody waits for it.
  std::optional<Call> at(std::uint64_t number) const {
    const std::uint64_t last = made();
    if (number == 0 || number > last || number + kept <= last) return std::nullopt;
    const NotedCall& entry = entries_[number % kept];
    return Call{entry.what.load(std::memory_order_relaxed), entry.of.load(std::memory_order_relaxed),
                entry.after.load(std::memory_order_relaxed)};
  }

 private:
  static constexpr std::size_t kept = 256;
  struct NotedCall {
    std::atomic<const std::string*> what = nullptr;
    std::atomic<std::uint64_t> of = 0;
    std::atomic<const std::string*> after = nullptr;
  };
  std::array<NotedCall, kept> entries_;
  const std::string* last_ = nullptr;
  std::atomic<std::uint64_t> made_ = 0;
};

}  // namespace kallima
