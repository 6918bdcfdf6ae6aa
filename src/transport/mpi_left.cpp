#include "transport/mpi_left.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "transport/mpi_check.hpp"

namespace kallima {
namespace {

struct Name {
  std::uint64_t crowd = 0;
  std::uint64_t number = 0;
  auto operator<=>(const Name&) const = default;
};

struct Left {
  int ranks = 1;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
};

std::mutex mutex;  // of `left`: transports may be dropped by any thread
std::map<Name, Left> left;

std::vector<Name> names_of(int ranks) {
  const std::lock_guard lock(mutex);
  std::vector<Name> names;
  for (const auto& [name, it] : left)
    if (it.ranks == ranks) names.push_back(name);
  return names;
}

// Those on the lists of all, in one order.
std::vector<Name> common(const std::vector<Name>& mine, std::span<const Name> all, int ranks) {
  std::map<Name, int> count;
  for (const Name& name : all) ++count[name];
  std::vector<Name> result;
  for (const Name& name : mine)
    if (count[name] == ranks) result.push_back(name);
  return result;
}

void free_now(const Name& name) {
  Left it;
  {
    const std::lock_guard lock(mutex);
    it = left.extract(name).mapped();
  }
  if (it.window != MPI_WIN_NULL) MPI_Win_free(&it.window);
  if (it.comm != MPI_COMM_NULL) MPI_Comm_free(&it.comm);
}

void leave(const Crowd& crowd, std::uint64_t number, const Left& it) {
  if (mpi_is_over()) return;
  const std::lock_guard lock(mutex);
  left.insert_or_assign(Name{crowd.name, number}, it);
}

}  // namespace

Crowd crowd_of(MPI_Comm comm) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  static std::uint64_t made = 0;
  std::uint64_t name = static_cast<std::uint64_t>(now) ^ static_cast<std::uint64_t>(::getpid()) << 40 ^ ++made << 56;
  check_mpi(MPI_Bcast(&name, 1, MPI_UINT64_T, 0, comm), "MPI_Bcast");
  return {name, mpi_size(comm)};
}

void leave(const Crowd& crowd, std::uint64_t number, MPI_Win window) {
  leave(crowd, number, Left{crowd.ranks, window, MPI_COMM_NULL});
}

void leave(const Crowd& crowd, std::uint64_t number, MPI_Comm comm) {
  leave(crowd, number, Left{crowd.ranks, MPI_WIN_NULL, comm});
}

void free_left(int ranks, const Gather& gather) {
  std::vector<Name> mine = names_of(ranks);
  const std::uint64_t count = mine.size();
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(ranks));
  gather(std::as_bytes(std::span(&count, 1)), std::as_writable_bytes(std::span(counts)));
  const std::uint64_t fewest = *std::min_element(counts.begin(), counts.end());
  if (fewest == 0) return;
  const std::uint64_t most = *std::max_element(counts.begin(), counts.end());
  std::vector<Name> padded = mine, all(static_cast<std::size_t>(most) * counts.size());
  padded.resize(most);
  gather(std::as_bytes(std::span(padded)), std::as_writable_bytes(std::span(all)));
  for (const Name& name : common(mine, all, ranks)) free_now(name);
}

}  // namespace kallima
