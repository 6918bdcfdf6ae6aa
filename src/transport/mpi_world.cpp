// A process's life in MPI. The delicate part is leaving: MPI_Finalize waits for all ranks, so a rank that leaves by an
// exception of its own must not call it before it knows that the others leave, too.

#include "transport/mpi_world.hpp"

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "kallima/mpi.hpp"
#include "transport/mpi_check.hpp"

#ifndef KALLIMA_MPIEXEC
#define KALLIMA_MPIEXEC "mpirun"
#endif

namespace kallima {
namespace {

constexpr auto patience = std::chrono::seconds(2);

bool is_set(const char* name) { return std::getenv(name) != nullptr; }

bool in_slurm_step() {
  const char* tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  return tasks != nullptr && std::atoi(tasks) > 1;  // a batch script itself is a step of one task
}

bool is_open_mpi() { return MpiWorld::library().find("Open MPI") != std::string::npos; }

// Whether all ranks arrive here within a moment.
bool all_leave() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Request request = MPI_REQUEST_NULL;
  if (MPI_Ibarrier(MPI_COMM_WORLD, &request) != MPI_SUCCESS) return false;
  const auto deadline = std::chrono::steady_clock::now() + patience;
  int over = 0;
  while (over == 0 && std::chrono::steady_clock::now() < deadline) {
    if (MPI_Test(&request, &over, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    ::sched_yield();
  }
  return over != 0;
}

}  // namespace

bool MpiWorld::available() { return true; }

bool MpiWorld::launched() {
  return is_set("OMPI_COMM_WORLD_SIZE") || is_set("PMI_RANK") || is_set("PMIX_RANK") || in_slurm_step();
}

std::string MpiWorld::library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string line(text, static_cast<std::size_t>(length));
  line = line.substr(0, line.find_first_of("\n,"));
  const std::string label = " Version:\t";  // MPICH's, for a reader of tables
  const auto at = line.find(label);
  return at == std::string::npos ? line : line.replace(at, label.size(), " ");
}

Tuning MpiWorld::usual_tuning() {
  const char* const words = std::getenv("KALLIMA_TUNING");
  return words != nullptr ? tuned(words) : Tuning{};
}

std::vector<std::string> MpiWorld::launcher(int ranks) {
  std::vector<std::string> command = {KALLIMA_MPIEXEC};
  if (is_open_mpi()) {
    if (::geteuid() == 0) command.push_back("--allow-run-as-root");
    command.push_back("--oversubscribe");
  }
  command.push_back("-n");
  command.push_back(std::to_string(ranks));
  return command;
}

MpiWorld::MpiWorld() {
  int given = 0;
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given), "MPI_Init_thread");
}

MpiWorld::~MpiWorld() {
  if (mpi_is_over()) return;
  if (std::uncaught_exceptions() == 0 || all_leave()) {
    MPI_Finalize();
    return;
  }
  std::fprintf(stderr, "kallima: rank %d failed while others were at work; ending all\n", mpi_rank(MPI_COMM_WORLD));
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

Comm MpiWorld::comm(const MpiWorldOptions& options) {
  return mpi_comm(MPI_COMM_WORLD, {options.shared_windows, options.tuning});
}

}  // namespace kallima
