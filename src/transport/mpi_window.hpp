#pragma once
// The ranks of one node and the memory they share. Every window is known by a number that is the same on all of them,
// since windows are made collectively; a number and an offset then say to a neighbour where a block lies, whatever
// address each of them has it at. Freeing a window is collective, so it is deferred; its pages are given back at once,
// by their owner, since nobody reads what is dropped. They are touched here, by their owner, too, with a call that
// reports a full /dev/shm as an error where a plain store would die of SIGBUS.

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "kallima/memory.hpp"
#include "kallima/transport.hpp"
#include "transport/host.hpp"
#include "transport/mpi_check.hpp"
#include "transport/mpi_deferred.hpp"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace kallima {

inline constexpr std::size_t page = 4096;

inline void touch(std::span<std::byte> memory) {
  ::madvise(memory.data(), memory.size(), MADV_HUGEPAGE);
  const bool given = ::madvise(memory.data(), memory.size(), MADV_POPULATE_WRITE) == 0 || errno == EINVAL;
  require(given,
          "cannot get {} bytes of memory shared within a node ({}) make /dev/shm larger or exchange by messages "
          "(--messages)",
          memory.size(), std::strerror(errno));
  std::memset(memory.data(), 0, memory.size());
}

inline MPI_Win allocate_shared(MPI_Comm comm, std::size_t bytes) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Win handle = MPI_WIN_NULL;
  void* mine = nullptr;
  check_mpi(MPI_Info_create(&info), "MPI_Info_create");
  MPI_Info_set(info, "alloc_shared_noncontig", "true");
  const int code = MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes), 1, info, comm, &mine, &handle);
  MPI_Info_free(&info);
  if (code != MPI_SUCCESS)
    fail("cannot share {} bytes within a node ({}) make /dev/shm larger or exchange by messages (--messages)", bytes,
         mpi_text(code));
  check_mpi(MPI_Win_set_errhandler(handle, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
  return handle;
}

inline std::byte* piece_of(MPI_Win window, int neighbour) {
  MPI_Aint bytes = 0;
  int unit = 1;
  void* at = nullptr;
  check_mpi(MPI_Win_shared_query(window, neighbour, &bytes, &unit, &at), "MPI_Win_shared_query");
  return reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(at) + page - 1) / page * page);
}

// One MPI shared window, or plain memory where there is nobody to share it with; `at[r]` is where node rank r's piece
// begins here.
struct Window {
  std::uint32_t number = 0;  // among what the ranks of the whole communicator hold
  MPI_Win handle = MPI_WIN_NULL;
  Array<std::byte> plain = {};
  std::vector<std::byte*> at = {};
  std::span<std::byte> mine = {};
  std::shared_ptr<std::byte> adopted = {};  // memory of another kind, at addresses that others found out
};

class NodeWindows {
 public:
  NodeWindows(MPI_Comm comm, bool shared_windows) : group_(group_of(comm)), node_ranks_(at(mpi_size(comm)), -1) {
    check_mpi(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm_), "MPI_Comm_split_type");
    check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    crowded_ = mpi_size(comm_) > machine_cores();
    if (!shared_windows) return;
    rank_ = mpi_rank(comm_);
    size_ = mpi_size(comm_);
    rank_at_.resize(at(size_));
    const int mine = mpi_rank(comm);
    check_mpi(MPI_Allgather(&mine, 1, MPI_INT, rank_at_.data(), 1, MPI_INT, comm_), "MPI_Allgather");
    for (int i = 0; i < size_; ++i) node_ranks_[at(rank_at(i))] = i;
  }

  ~NodeWindows() { defer_free(group_, next_number(), comm_); }

  int rank() const { return rank_; }
  int size() const { return size_; }  // 0 where nothing is shared
  // On this node; -1: elsewhere.
  int node_rank_of(int rank) const { return node_ranks_[at(rank)]; }
  int rank_at(int neighbour) const { return rank_at_[at(neighbour)]; }
  bool crowded() const { return crowded_; }  // more ranks than cores

  const RankGroup& group() const { return group_; }   // all ranks of the communicator
  std::uint32_t next_number() { return numbers_++; }  // taken by all of them alike

  // Collective on the node; this rank's piece is zeroed. Where it fails, what there is of it is freed later.
  Window open(std::size_t bytes, std::uint32_t number) {
    Window window{.number = number};
    if (size_ < 2) {
      window.plain = Array<std::byte>(static_cast<Index>(bytes));
      window.at = {window.plain.data()};
      window.mine = window.plain.span();
    } else {
      window.handle = allocate_shared(comm_, bytes + page);
      try {
        for (int i = 0; i < size_; ++i) window.at.push_back(piece_of(window.handle, i));
        window.mine = {window.at[at(rank_)], bytes};
        if (bytes > 0) touch(window.mine);
      } catch (...) {
        close(window);
        throw;
      }
    }
    know(window);
    return window;
  }

  // `there`: where this process has that of each rank of the communicator.
  Window adopt(std::shared_ptr<std::byte> memory, std::size_t bytes, const std::vector<std::byte*>& there,
               std::uint32_t number) {
    Window window{.number = number, .mine = {memory.get(), bytes}};
    for (int i = 0; i < size_; ++i) window.at.push_back(there[at(rank_at(i))]);
    window.adopted = std::move(memory);
    know(window);
    return window;
  }

  void close(const Window& window) {
    {
      const std::lock_guard lock(mutex_);
      known_.erase(window.number);
    }
    defer_free(group_, window.number, MPI_COMM_NULL, window.handle, window.adopted);
  }

  std::size_t sum(const std::vector<std::size_t>& all) const {  // of what the ranks of this node have
    std::size_t bytes = 0;
    for (const int r : rank_at_) bytes += all[at(r)];
    return bytes;
  }

  // Throws where so many bytes of this node's ranks do not fit, or this rank may not have them: some MPI libraries
  // would hang over it. One rank makes the memory, and all of them see all of it.
  void check_room(std::size_t bytes) const {
    if (size_ < 2) return;
    const std::size_t needed = bytes + at(4 * size_ + 16) * page;  // with the library's own
    const auto check = [&](double room, const char* why) {
      require(static_cast<double>(needed) <= room, "cannot share {} bytes within a node ({} {:.0f}) {}", needed, why,
              room, "use more nodes or a smaller shape, make room, or exchange by messages (--messages)");
    };
    void* const seen = ::mmap(nullptr, needed, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (seen == MAP_FAILED) check(0, "a rank has too little address space, ulimit -v: of these");
    ::munmap(seen, needed);
    struct rlimit file {};
    struct statvfs info {};
    if (rank_ > 0) return;
    if (::getrlimit(RLIMIT_FSIZE, &file) == 0) check(static_cast<double>(file.rlim_cur), "ulimit -f allows");
    if (::statvfs("/dev/shm", &info) == 0)
      check(static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize), "/dev/shm has room for");
  }

  struct Location {
    std::uint32_t window = 0;
    std::uint64_t offset = 0;
  };
  std::optional<Location> find(std::span<const std::byte> block) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(block.data());
    const std::lock_guard lock(mutex_);
    for (const auto& [number, known] : known_) {
      const auto from = reinterpret_cast<std::uintptr_t>(known.mine.data());
      if (begin >= from && begin + block.size() <= from + known.mine.size()) return Location{number, begin - from};
    }
    return std::nullopt;
  }

  const std::byte* address(int neighbour, Location what) const {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(what.window);
    require(known != known_.end(), "a neighbour sent a view of memory {} that this rank has given up", what.window);
    return known->second.at[at(neighbour)] + what.offset;
  }

 private:
  void know(const Window& window) {
    const std::lock_guard lock(mutex_);
    known_[window.number] = {window.mine, window.at};
  }

  struct Known {
    std::span<std::byte> mine;
    std::vector<std::byte*> at;
  };

  RankGroup group_;
  std::uint32_t numbers_ = 0;
  MPI_Comm comm_ = MPI_COMM_NULL;  // of the node
  int rank_ = -1;
  int size_ = 0;
  bool crowded_ = false;
  std::vector<int> node_ranks_;
  std::vector<int> rank_at_;
  mutable std::mutex mutex_;  // of known_: transports share a NodeWindows, and each may have a thread
  std::map<std::uint32_t, Known> known_;
};

class NodeMemory final : public SharedMemory {
 public:
  NodeMemory(std::shared_ptr<NodeWindows> node, std::size_t bytes, std::uint32_t number)
      : node_(std::move(node)), window_(node_->open(bytes, number)) {}
  ~NodeMemory() override {
    if (window_.handle != MPI_WIN_NULL) ::madvise(window_.mine.data(), window_.mine.size() / page * page, MADV_REMOVE);
    node_->close(window_);
  }
  std::span<std::byte> bytes() override { return window_.mine; }

 private:
  std::shared_ptr<NodeWindows> node_;
  Window window_;
};

class AdoptedMemory final : public SharedMemory {
 public:
  AdoptedMemory(std::shared_ptr<NodeWindows> node, Window window)
      : node_(std::move(node)), window_(std::move(window)) {}
  ~AdoptedMemory() override { node_->close(window_); }
  std::span<std::byte> bytes() override { return window_.mine; }

 private:
  std::shared_ptr<NodeWindows> node_;
  Window window_;
};

}  // namespace kallima
