// A process's life in MPI. The delicate part is leaving: MPI_Finalize waits for all ranks, so a rank that leaves by an
// exception of its own must not call it before it knows that the others leave, too.

#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "kallima/job.hpp"
#include "transport/mpi_check.hpp"
#include "transport/mpi_comm.hpp"
#include "transport/mpi_leave.hpp"

#ifndef KALLIMA_MPIEXEC
#define KALLIMA_MPIEXEC "mpirun"
#endif

namespace kallima {
namespace {

bool is_set(const char* name) { return std::getenv(name) != nullptr; }

bool in_slurm_step() {
  const char* tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  return tasks != nullptr && std::atoi(tasks) > 1;  // a batch script itself is a step of one task
}

bool is_open_mpi() { return MpiWorld::library().find("Open MPI") != std::string::npos; }

std::string library_text() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  return {text, static_cast<std::size_t>(length)};
}

bool is_on_ucx() { return library_text().find("ch4:ucx") != std::string::npos; }  // MPICH

}  // namespace

bool MpiWorld::available() { return true; }

bool MpiWorld::launched() {
  return is_set("OMPI_COMM_WORLD_SIZE") || is_set("PMI_RANK") || is_set("PMIX_RANK") || in_slurm_step();
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
  if (is_open_mpi()) {
    if (::geteuid() == 0) command.push_back("--allow-run-as-root");
    command.push_back("--oversubscribe");
  }
  command.push_back("-n");
  command.push_back(std::to_string(ranks));
  return command;
}

MpiWorld::MpiWorld(const MpiWorldOptions& options) {
  const Tuning tuning = likely_tuning({options.exactly, options.tuning});
  const std::string setting = remedy();
  if (const std::size_t equals = setting.find('='); equals != std::string::npos)
    ::setenv(setting.substr(0, equals).c_str(), setting.c_str() + equals + 1, 0);
  const int wanted =
      options.threads || tuning.progress == ProgressBy::thread ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED;
  int given = 0;
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

Comm MpiWorld::comm(const MpiWorldOptions& options) {
  return comm_with(MPI_COMM_WORLD, options.shared_windows, {options.exactly, options.tuning});
}

Comm MpiWorld::first(int ranks, const MpiWorldOptions& options) {
  MPI_Group all, some;
  MPI_Comm comm;
  int range[1][3] = {{0, ranks - 1, 1}};
  check_mpi(MPI_Comm_group(MPI_COMM_WORLD, &all), "MPI_Comm_group");
  check_mpi(MPI_Group_range_incl(all, 1, range, &some), "MPI_Group_range_incl");
  check_mpi(MPI_Comm_create_group(MPI_COMM_WORLD, some, 0, &comm), "MPI_Comm_create_group");
  Comm result = comm_with(comm, options.shared_windows, {options.exactly, options.tuning});  // a duplicate of it
  check_mpi(MPI_Comm_free(&comm), "MPI_Comm_free");
  check_mpi(MPI_Group_free(&some), "MPI_Group_free");
  check_mpi(MPI_Group_free(&all), "MPI_Group_free");
  return result;
}

}  // namespace kallima
