// Ranks on the same machine are those with the same host name. What is free is the system's own estimate plus swap,
// and never more than the control group that a container sets.

#include "app/memory_check.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>

#include "app/check.hpp"

namespace kallima::cli {

namespace {

struct Need {
  std::array<char, 256> host{};
  std::uint64_t bytes = 0;
};

constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();

// The value that follows `key` in a file of keys and numbers; the first number of the file if the key is empty.
std::uint64_t value_in(const char* path, const std::string& key) {
  std::ifstream file(path);
  std::string word;
  std::uint64_t value = 0;
  if (key.empty()) return file >> value ? value : unknown;
  while (file >> word)
    if (word == key && file >> value) return value;
  return unknown;
}

std::uint64_t free_of_group() {
  const std::uint64_t limit = value_in("/sys/fs/cgroup/memory.max", "");
  const std::uint64_t used = value_in("/sys/fs/cgroup/memory.current", "");
  const std::uint64_t cache = value_in("/sys/fs/cgroup/memory.stat", "inactive_file");
  if (limit == unknown || used == unknown || cache == unknown) return unknown;
  const std::uint64_t taken = used - std::min(used, cache);
  return limit - std::min(limit, taken);
}

}  // namespace

std::uint64_t free_memory() {
  const std::uint64_t available = value_in("/proc/meminfo", "MemAvailable:");
  const std::uint64_t swap = value_in("/proc/meminfo", "SwapFree:");
  const std::uint64_t system = available == unknown ? unknown : (available + (swap == unknown ? 0 : swap)) * 1024;
  return std::min(system, free_of_group());
}

void check_memory(Transport& transport, Index bytes) {
  Need mine{.bytes = static_cast<std::uint64_t>(bytes)};
  gethostname(mine.host.data(), mine.host.size() - 1);
  const std::vector<Need> all = gathered(transport, mine);
  std::uint64_t total = 0;
  int ranks = 0;
  for (const Need& need : all) {
    if (need.host != mine.host) continue;
    total += need.bytes;
    ++ranks;
  }
  constexpr double gib = 1024.0 * 1024.0 * 1024.0;
  together(transport, [&] {
    const std::uint64_t free = free_memory();
    require(total <= free,
            "not enough memory on {} (its {} rank(s) need at least {:.2f} GiB, {:.2f} GiB are free) use a "
            "smaller array, more nodes, single precision or, with kallima fft, --memory",
            mine.host.data(), ranks, static_cast<double>(total) / gib, static_cast<double>(free) / gib);
  });
}

}  // namespace kallima::cli
