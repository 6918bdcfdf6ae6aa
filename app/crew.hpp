#pragma once
// The ranks that a command runs on: threads of this process, or the processes of an MPI job, which it may have to
// start first. One of them speaks for all, so that a message is printed once.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/options.hpp"
#include "kallima/comm.hpp"

namespace kallima {
class MpiWorld;
}

namespace kallima::cli {

int core_count();  // those this process may use

class Crew {
 public:
  Crew(int argc, char** argv);  // joins the MPI job that this process was started in, if any; then collective
  ~Crew();

  bool speaks() const;  // true in one process only
  const std::vector<std::string>& arguments() const { return arguments_; }

  // Throws unless every process of the job was given the same command line. Collective.
  void agree_on_arguments();

  // Runs `body` on every rank and returns when all are done. Does not return where it was for mpirun to do.
  void run(const RunFlags& flags, const std::function<void(Comm)>& body);

  // The same ranks, by messages with another tuning; threads have none and keep what they have. Collective.
  Comm with_tuning(const Comm& comm, const Tuning& tuning);

  // The first so many ranks of an MPI job, of which this is one; by messages alone, or through shared memory as well.
  // Collective among these.
  Comm first(int ranks, Exchange exchange);

  void will_exit_with(int code);  // said before leaving, since some MPI libraries do not let go

  // For an error that may have struck this process alone: ends the whole job.
  [[noreturn]] void abandon(const std::string& why);

 private:
  std::optional<std::string> value_of(const std::string& flag) const;
  [[noreturn]] void run_mpirun(int ranks);
  void check_flags_under_mpi(const RunFlags& flags) const;

  std::vector<std::string> arguments_;
  std::unique_ptr<MpiWorld> mpi_;
  std::unique_ptr<Comm> job_;
};

}  // namespace kallima::cli
