#include "app/lab_launch.hpp"

#include <filesystem>

#include "app/check.hpp"
#include "app/options.hpp"
#include "kallima/job.hpp"

namespace kallima::cli {

namespace {

const char* name_of(Mpi mpi) { return mpi == Mpi::open_mpi ? "openmpi" : "mpich"; }

}  // namespace

Mpi built_with() { return MpiWorld::library().find("Open MPI") != std::string::npos ? Mpi::open_mpi : Mpi::mpich; }

Mpi chosen_mpi(const std::string& flag) {
  if (!flag.empty()) return flag == "openmpi" ? Mpi::open_mpi : Mpi::mpich;
  if (!MpiWorld::available())
    throw UsageError("--mpi is missing (this program was built without MPI) give --mpi openmpi or mpich");
  return built_with();
}

std::string launcher_of(Mpi mpi) {
  Arguments names =
      mpi == Mpi::open_mpi ? Arguments{"mpirun.openmpi", "orterun"} : Arguments{"mpirun.mpich", "mpiexec.hydra"};
  if (MpiWorld::available() && mpi == built_with()) names.insert(names.begin(), MpiWorld::launcher(1).front());
  for (const std::string& name : names)
    if (const std::string path = find_program(name); !path.empty()) return path;
  fail("cannot start ranks with {} ({} is not on the PATH) install it or choose the other with --mpi", name_of(mpi),
       names.back());
}

// This program or its twin, which is linked with the other library.
std::string own_program(Mpi mpi) {
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  if (MpiWorld::available() && mpi == built_with()) return self;
  const std::string twin = self.parent_path() / (mpi == Mpi::mpich ? "kallima-mpich" : "kallima");
  require(twin != self && !find_program(twin).empty(),
          "this program cannot run with {} (it was built with {}, and there is no {}) leave out --mpi", name_of(mpi),
          MpiWorld::available() ? MpiWorld::library() : "none", twin);
  return twin;
}

}  // namespace kallima::cli
