#include "transport/mpi_deferred.hpp"

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
  std::uint64_t group = 0;
  std::uint64_t number = 0;
  auto operator<=>(const Name&) const = default;
};

struct Deferred {
  int ranks = 1;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
};

std::mutex mutex;  // of `deferred`: transports may be dropped by any thread
std::map<Name, Deferred> deferred;

std::vector<Name> names() {
  const std::lock_guard lock(mutex);
  std::vector<Name> result;
  for (const auto& [name, it] : deferred) result.push_back(name);
  return result;
}

// Those of this rank that are on the lists of all who held them, in one order.
std::vector<Name> common(std::span<const Name> all) {
  std::map<Name, int> count;
  for (const Name& name : all) ++count[name];
  const std::lock_guard lock(mutex);
  std::vector<Name> result;
  for (const auto& [name, it] : deferred)
    if (count[name] == it.ranks) result.push_back(name);
  return result;
}

void free_now(const Name& name) {
  Deferred it;
  {
    const std::lock_guard lock(mutex);
    it = deferred.extract(name).mapped();
  }
  if (it.window != MPI_WIN_NULL) MPI_Win_free(&it.window);
  if (it.comm != MPI_COMM_NULL) MPI_Comm_free(&it.comm);
}

// A communicator of every group of ranks there was, for them to meet a last time; by a name that they share, so that
// ranks of several groups meet in one order.
std::map<std::uint64_t, MPI_Comm>& meetings() {
  static std::map<std::uint64_t, MPI_Comm> all;
  return all;
}

int free_all(MPI_Comm, int, void*, void*) {
  for (auto& [name, comm] : meetings()) {
    free_deferred(comm);
    MPI_Comm_free(&comm);
  }
  meetings().clear();
  return MPI_SUCCESS;
}

// MPI_Finalize first of all deletes what is attached to MPI_COMM_SELF.
void attend_finalize() {
  static bool attends = false;
  if (std::exchange(attends, true)) return;
  int key = MPI_KEYVAL_INVALID;
  check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_all, &key, nullptr), "MPI_Comm_create_keyval");
  check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr");
}

void meet_at_the_end(MPI_Comm comm, std::uint64_t name) {
  attend_finalize();
  for (const auto& [known, other] : meetings()) {
    int same = MPI_UNEQUAL;
    check_mpi(MPI_Comm_compare(comm, other, &same), "MPI_Comm_compare");
    if (same == MPI_CONGRUENT || same == MPI_IDENT) return;
  }
  meetings()[name] = duplicate_of(comm);
}

}  // namespace

RankGroup group_of(MPI_Comm comm) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  static std::uint64_t made = 0;
  std::uint64_t name = static_cast<std::uint64_t>(now) ^ static_cast<std::uint64_t>(::getpid()) << 40 ^ ++made << 56;
  check_mpi(MPI_Bcast(&name, 1, MPI_UINT64_T, 0, comm), "MPI_Bcast");
  meet_at_the_end(comm, name);
  return {name, mpi_size(comm)};
}

void defer_free(const RankGroup& group, std::uint64_t number, MPI_Comm comm, MPI_Win window) {
  if (mpi_is_over()) return;
  const std::lock_guard lock(mutex);
  deferred.insert_or_assign(Name{group.name, number}, Deferred{group.ranks, window, comm});
}

void free_deferred(int ranks, const Gather& gather) {
  std::vector<Name> mine = names();
  const std::uint64_t count = mine.size();
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(ranks));
  gather(std::as_bytes(std::span(&count, 1)), std::as_writable_bytes(std::span(counts)));
  const std::uint64_t most = *std::max_element(counts.begin(), counts.end());
  if (most == 0) return;
  mine.resize(most);
  std::vector<Name> all(static_cast<std::size_t>(most) * counts.size());
  gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  for (const Name& name : common(all)) free_now(name);
}

void free_deferred(MPI_Comm comm) {
  free_deferred(mpi_size(comm), [&](std::span<const std::byte> mine, std::span<std::byte> all) {
    wait_politely(start_gather(comm, mine, all), "MPI_Iallgather");
  });
}

}  // namespace kallima
