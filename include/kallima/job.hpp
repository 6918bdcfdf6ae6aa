#pragma once
// MPI as a program needs it that may also run without: whether there is one, whether this process was started by it,
// how to start it, and a scope in which it is initialised. MPI's own header is not included, so that whoever includes
// this need not have one. Comes with kallima::mpi, as kallima/mpi.hpp does.

#include <optional>

#include "kallima/comm.hpp"
#include "kallima/tuning.hpp"

namespace kallima {

struct MpiWorldOptions {
  bool shared_windows = true;
  std::string tuning = {};             // settings that change the usual one
  std::optional<Tuning> exactly = {};  // this one and no other
  bool threads = false;                // room for a progress thread, whatever the tuning says
};

class MpiWorld {
 public:
  static bool available();
  static bool launched();        // this process is one of a job started by mpirun, srun or the like
  static std::string library();  // name and version; empty without MPI
  static std::string remedy();   // a setting that this library needs before it is initialised, as NAME=value; or empty
  static std::vector<std::string> launcher(int ranks);  // the beginning of a command line that starts so many

  // Initialises MPI, with remedy() unless the environment knows better, and for threads where the tuning needs them.
  explicit MpiWorld(const MpiWorldOptions& options = {});
  MpiWorld(const MpiWorld&) = delete;
  MpiWorld& operator=(const MpiWorld&) = delete;

  // Finalises it. While an exception is on its way the other ranks are waited for a moment only; where they do not
  // come along, the job is ended with a non-zero code. All Comms must be gone by then.
  ~MpiWorld();

  Comm comm(const MpiWorldOptions& options = {});              // collective
  Comm first(int ranks, const MpiWorldOptions& options = {});  // of that many; collective among these alone
  void will_exit_with(int code) { exit_code_ = code; }         // for a library that does not let go of the process

 private:
  int exit_code_ = 0;
  bool finalizes_ = true;  // this library can be relied on to
};

}  // namespace kallima
