#pragma once
// Windows and communicators can only be freed by all of their ranks together, but ranks drop what they hold whenever
// they like: a garbage collector decides for some, an exception for others. So nothing is freed when it is dropped. It
// is kept here, under a name that is the same on all ranks, and freed the next time these ranks meet for something
// collective anyway: when memory is allocated for the next plan, when another communicator is made of them or, at the
// latest, in MPI_Finalize.

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "transport/mpi_check.hpp"
#include "transport/mpi_desk.hpp"

namespace kallima {

// The ranks that hold something: those of one mpi_comm() and what was made from it.
struct RankGroup {
  std::uint64_t name = 0;  // the same on all of them, and nobody else's
  int ranks = 1;
  Desk* desk = nullptr;  // theirs
};

struct DeferredName {
  std::uint64_t group = 0, number = 0;
  auto operator<=>(const DeferredName&) const = default;
};

struct Deferred {
  int ranks = 1;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  std::shared_ptr<void> memory = {};  // that others see, and MPI knows nothing of
};

inline std::mutex deferring;  // of `deferred`: transports may be dropped by any thread
inline std::map<DeferredName, Deferred> deferred;

// Takes from this rank's list what is on the lists of all who held it, in one order.
inline std::vector<Deferred> dropped_by_all(std::span<const DeferredName> all) {
  std::map<DeferredName, int> count;
  for (const DeferredName& name : all) ++count[name];
  const std::lock_guard lock(deferring);
  std::vector<Deferred> result;
  std::erase_if(deferred, [&](const auto& one) {
    const bool by_all = count[one.first] == one.second.ranks;
    if (by_all) result.push_back(std::move(one.second));
    return by_all;
  });
  return result;
}

// `number` tells apart what a group holds, the same on all its ranks. Null handles take part in what others free.
inline void defer_free(const RankGroup& group, std::uint64_t number, MPI_Comm comm, MPI_Win window = MPI_WIN_NULL,
                       std::shared_ptr<void> memory = {}) {
  if (mpi_is_over()) return;
  const std::lock_guard lock(deferring);
  deferred.insert_or_assign(DeferredName{group.name, number}, Deferred{group.ranks, window, comm, std::move(memory)});
}

// Every rank's `mine` to `all`, by rank.
using Gather = std::function<void(std::span<const std::byte> mine, std::span<std::byte> all)>;

// Frees what all who held it have dropped, where these are among the so many ranks that meet here. Collective.
inline void free_deferred(int ranks, const Gather& gather) {
  std::vector<DeferredName> mine;
  {
    const std::lock_guard lock(deferring);
    for (const auto& [name, it] : deferred) mine.push_back(name);
  }
  const std::uint64_t count = mine.size();
  std::vector<std::uint64_t> counts(at(ranks));
  gather(std::as_bytes(std::span(&count, 1)), std::as_writable_bytes(std::span(counts)));
  const std::uint64_t most = *std::ranges::max_element(counts);
  if (most == 0) return;
  mine.resize(most);
  std::vector<DeferredName> all(at(most) * counts.size());
  gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  for (Deferred& it : dropped_by_all(all)) {
    if (it.window != MPI_WIN_NULL) MPI_Win_free(&it.window);
    if (it.comm != MPI_COMM_NULL) MPI_Comm_free(&it.comm);
  }
}

inline void free_deferred_of(MPI_Comm comm, const auto& meanwhile) {
  free_deferred(mpi_size(comm), [&](std::span<const std::byte> mine, std::span<std::byte> all) {
    wait_politely(start_gather(comm, mine, all), "MPI_Iallgather", meanwhile);
  });
}

inline void announce_to_all(const char* call) {
  for (const auto& [name, desk] : Desk::all) desk->announce({call_name(call)});
}

// Every group of ranks there was meets a last time.
inline int free_all(MPI_Comm, int, void*, void*) {
  announce_to_all("MPI_Finalize");
  for (auto& [name, desk] : Desk::all) {
    free_deferred_of(desk->comm(), Desk::look_up);
    desk->close();
  }
  Desk::all.clear();
  return MPI_SUCCESS;
}

// MPI_Finalize first of all deletes what is attached to MPI_COMM_SELF.
inline void attend_finalize() {
  static bool attends = false;
  if (std::exchange(attends, true)) return;
  int key = MPI_KEYVAL_INVALID;
  check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_all, &key, nullptr), "MPI_Comm_create_keyval");
  check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr");
}

inline Desk* desk_of(MPI_Comm comm) {  // null: these ranks have none yet
  for (const auto& [name, desk] : Desk::all) {
    int same = MPI_UNEQUAL;
    check_mpi(MPI_Comm_compare(comm, desk->comm(), &same), "MPI_Comm_compare");
    if (same == MPI_CONGRUENT || same == MPI_IDENT) return desk.get();
  }
  return nullptr;
}

inline RankGroup group_of(MPI_Comm comm) {  // collective
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  static std::uint64_t made = 0;
  std::uint64_t name = static_cast<std::uint64_t>(now) ^ static_cast<std::uint64_t>(::getpid()) << 40 ^ ++made << 56;
  check_mpi(MPI_Bcast(&name, 1, MPI_UINT64_T, 0, comm), "MPI_Bcast");
  attend_finalize();
  Desk* desk = desk_of(comm);
  if (desk == nullptr) desk = (Desk::all[name] = std::make_unique<Desk>(duplicate_of(comm, Desk::look_up), name)).get();
  return {name, mpi_size(comm), desk};
}

}  // namespace kallima
