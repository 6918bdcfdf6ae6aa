#pragma once
// MPI as a program needs it that may also run without: whether there is one, whether this process was started by it,
// how to start it, and a scope in which it is initialised. No <mpi.h> here, so that whoever includes this need not have
// one; mpi_none.cpp stands in where Kallima is built without MPI.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kallima/comm.hpp"
#include "kallima/tuning.hpp"

namespace kallima {

struct MpiWorldOptions {  // as MpiOptions
  bool shared_windows = true;
  std::optional<Tuning> tuning = {};
};

class MpiWorld {
 public:
  static bool available();
  static bool launched();        // this process is one of a job started by mpirun, srun or the like
  static Tuning usual_tuning();  // what mpi_comm() takes where nothing is given
  static std::string library();  // name and version; empty without MPI
  static std::vector<std::string> launcher(int ranks);  // the beginning of a command line that starts so many

  MpiWorld();  // initialises MPI
  MpiWorld(const MpiWorld&) = delete;
  MpiWorld& operator=(const MpiWorld&) = delete;

  // Finalises it. While an exception is on its way the other ranks are waited for a moment only; where they do not
  // come along, the job is ended with a non-zero code. All Comms must be gone by then.
  ~MpiWorld();

  Comm comm(const MpiWorldOptions& options = {});  // collective
};

}  // namespace kallima
