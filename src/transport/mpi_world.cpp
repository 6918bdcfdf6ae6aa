// A process's life in MPI. The delicate part is leaving: MPI_Finalize waits for all ranks, so a rank that leaves by an
// exception of its own must not call it before it knows that the others leave, too. Nor may it return: MPICH 4.0 on UCX
// often waits there for ever once several hosts have exchanged messages, and where some ranks return and others do not
// its launcher loses the exit code. By then all work is done: there all ranks leave without it, and anywhere else one
// that has waited a while does.

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>

#include "base/text.hpp"
#include "transport/host.hpp"
#include "transport/mpi_deferred.hpp"
#include "transport/mpi_tuning.hpp"

#ifndef KALLIMA_MPIEXEC
#define KALLIMA_MPIEXEC "mpirun"
#endif

namespace kallima {
namespace {

bool is_set(const char* name) { return !environment(name).empty(); }
bool is_open_mpi() { return MpiWorld::library().find("Open MPI") != std::string::npos; }

std::string library_text() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  return {text, at(length)};
}

bool is_on_ucx() { return library_text().find("ch4:ucx") != std::string::npos; }  // MPICH

using std::chrono::steady_clock;

constexpr auto moment = std::chrono::seconds(2);
constexpr auto last_progress = std::chrono::milliseconds(100);
constexpr auto long_enough = std::chrono::seconds(3);  // for a library to close its connections

// Whether all ranks arrive here; waits for them a moment, or as long as it takes.
enum class Patience { a_moment, endless };

bool all_leave(Patience patience) {
  announce_to_all("leaving MPI");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Request request = MPI_REQUEST_NULL;
  if (MPI_Ibarrier(MPI_COMM_WORLD, &request) != MPI_SUCCESS) return false;
  const auto deadline = steady_clock::now() + moment;
  int over = 0;
  while (over == 0 && (patience == Patience::endless || steady_clock::now() < deadline)) {
    if (MPI_Test(&request, &over, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    Desk::look_up();
    ::sched_yield();
  }
  return over != 0;
}

// Nobody can know that the others have heard of the barrier's end, so what may still have to go out is moved on for a
// while before the connections are gone.
[[noreturn]] void exit_without_finalize(int code) {
  std::fflush(nullptr);
  const auto deadline = steady_clock::now() + last_progress;
  for (int there = 0; steady_clock::now() < deadline; ::sched_yield())
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
  ::_exit(code);
}

// Returns once MPI is finalised; else ends this process with `code`.
void finalize_or_exit(int code) {
  std::fflush(nullptr);
  const std::jthread watchdog([code, rank = mpi_rank(MPI_COMM_WORLD)](const std::stop_token& finalized) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, finalized, long_enough, [] { return false; });
    if (finalized.stop_requested()) return;
    if (rank == 0)
      std::fprintf(stderr, "kallima: MPI_Finalize does not return (the work is done; this MPI waits) leaving\n");
    std::fflush(nullptr);
    ::_exit(code);
  });
  MPI_Finalize();
}

}  // namespace

bool MpiWorld::available() { return true; }

bool MpiWorld::launched() {
  const int tasks = number_in<int>(environment("SLURM_STEP_NUM_TASKS")).value_or(0);  // a batch script's step has one
  return is_set("OMPI_COMM_WORLD_SIZE") || is_set("PMI_RANK") || is_set("PMIX_RANK") || tasks > 1;
}

std::string MpiWorld::library() {
  std::string line = library_text();
  line = line.substr(0, line.find_first_of("\n,"));
  const std::string label = " Version:\t";  // MPICH's, for a reader of tables
  const auto at = line.find(label);
  return at == std::string::npos ? line : line.replace(at, label.size(), " ");
}

// MPICH on UCX lets the two directions of a link take turns once messages go by rendezvous; pieces sent eagerly do not.
std::string MpiWorld::remedy() { return is_on_ucx() ? "UCX_RNDV_THRESH=128k" : ""; }

std::vector<std::string> MpiWorld::launcher(int ranks) {
  std::vector<std::string> command = {KALLIMA_MPIEXEC};
  if (is_open_mpi() && ::geteuid() == 0) command.push_back("--allow-run-as-root");
  if (is_open_mpi()) command.push_back("--oversubscribe");
  command.insert(command.end(), {"-n", std::to_string(ranks)});
  return command;
}

MpiWorld::MpiWorld(const MpiWorldOptions& options) {
  const Tuning tuning = likely_tuning(options);
  const std::string setting = remedy();
  if (const std::size_t equals = setting.find('='); equals != std::string::npos)
    ::setenv(setting.substr(0, equals).c_str(), setting.c_str() + equals + 1, 0);
  const int wanted =
      options.threads || tuning.progress == ProgressBy::thread ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED;
  int given = 0, begun = 0;
  MPI_Initialized(&begun);
  require(begun == 0, "MPI is initialised already (it can be once): use mpi_comm(), or one MpiWorld");
  check_mpi(MPI_Init_thread(nullptr, nullptr, wanted, &given), "MPI_Init_thread");
  finalizes_ = !is_on_ucx() || !on_several_hosts(MPI_COMM_WORLD);
}

MpiWorld::~MpiWorld() {
  if (mpi_is_over()) return;
  const bool failing = std::uncaught_exceptions() > 0;
  if (all_leave(failing ? Patience::a_moment : Patience::endless) || !failing) {
    const int code = failing && exit_code_ == 0 ? 1 : exit_code_;
    if (!finalizes_) exit_without_finalize(code);
    finalize_or_exit(code);
    return;
  }
  std::fprintf(stderr, "kallima: rank %d failed while others were at work; ending all\n", mpi_rank(MPI_COMM_WORLD));
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

Comm MpiWorld::comm(const MpiWorldOptions& options) { return comm_with(MPI_COMM_WORLD, options); }

Comm MpiWorld::first(int ranks, const MpiWorldOptions& options) {
  require(ranks > mpi_rank(MPI_COMM_WORLD) && ranks <= mpi_size(MPI_COMM_WORLD),
          "rank {} cannot be one of the first {} (there are {})", mpi_rank(MPI_COMM_WORLD), ranks,
          mpi_size(MPI_COMM_WORLD));
  MPI_Group all, some;
  MPI_Comm comm;
  int range[1][3] = {{0, ranks - 1, 1}};
  check_mpi(MPI_Comm_group(MPI_COMM_WORLD, &all), "MPI_Comm_group");
  check_mpi(MPI_Group_range_incl(all, 1, range, &some), "MPI_Group_range_incl");
  check_mpi(MPI_Comm_create_group(MPI_COMM_WORLD, some, 0, &comm), "MPI_Comm_create_group");
  Comm result = comm_with(comm, options);  // a duplicate of it
  check_mpi(MPI_Comm_free(&comm), "MPI_Comm_free");
  check_mpi(MPI_Group_free(&some), "MPI_Group_free");
  check_mpi(MPI_Group_free(&all), "MPI_Group_free");
  return result;
}

}  // namespace kallima
