#include "transport/mpi_leave.hpp"

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

#include "transport/mpi_check.hpp"

namespace kallima {
namespace {

using std::chrono::steady_clock;

constexpr auto a_moment = std::chrono::seconds(2);
constexpr auto last_words = std::chrono::milliseconds(100);
constexpr auto long_enough = std::chrono::seconds(3);  // for a library to close its connections

// Ends the process unless it is called off in time.
class Watchdog {
 public:
  Watchdog(int rank, int code) : thread_([this, rank, code] { watch(rank, code); }) {}
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    called_off_.notify_one();
    thread_.join();
  }

 private:
  void watch(int rank, int code) {
    std::unique_lock lock(mutex_);
    if (called_off_.wait_for(lock, long_enough, [this] { return over_; })) return;
    if (rank == 0)
      std::fprintf(stderr, "kallima: MPI_Finalize does not return (the work is done; this MPI waits) leaving\n");
    std::fflush(nullptr);
    ::_exit(code);
  }

  std::mutex mutex_;
  std::condition_variable called_off_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace

bool all_leave(Patience patience) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Request request = MPI_REQUEST_NULL;
  if (MPI_Ibarrier(MPI_COMM_WORLD, &request) != MPI_SUCCESS) return false;
  const auto deadline = steady_clock::now() + a_moment;
  int over = 0;
  while (over == 0 && (patience == Patience::endless || steady_clock::now() < deadline)) {
    if (MPI_Test(&request, &over, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    ::sched_yield();
  }
  return over != 0;
}

// Nobody can know that the others have heard of the barrier's end, so what may still have to go out is moved on for a
// while before the connections are gone.
void exit_without_finalize(int code) {
  std::fflush(nullptr);
  const auto deadline = steady_clock::now() + last_words;
  for (int there = 0; steady_clock::now() < deadline; ::sched_yield())
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
  ::_exit(code);
}

void finalize_or_exit(int code) {
  std::fflush(nullptr);
  const Watchdog watchdog(mpi_rank(MPI_COMM_WORLD), code);
  MPI_Finalize();
}

}  // namespace kallima
